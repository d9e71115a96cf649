type Piece = Uint8Array<ArrayBuffer>;
type Body = ReadableStream<Piece>;

/** Where the pieces of a body come from. */
export interface BodyReader {
  /** Whether a piece is there only until the next is read, or {@linkcode BodyReader.rest} is called. */
  readonly lends: boolean;
  /** The next piece; undefined at the end. */
  read(): Promise<Piece | undefined>;
  /** The last piece has been looked at, and the next may be long in coming. */
  rest(): void;
  /** No more is read. */
  cancel(): Promise<void>;
}

/**
 * A reader that allocates nothing for the pieces it reads, where the runtime can do that: it makes 64 KiB
 * for each piece otherwise, and as much to learn that there is none, which the garbage collector is in no
 * hurry to give back.
 */
export function lendingReader(body: Body): BodyReader {
  try {
    return new LendingReader(body.getReader({ mode: "byob" }));
  } catch (error) {
    // A body that came whole with its head is no stream of bytes, and nothing is made for it.
    if (!(error instanceof TypeError)) throw error;
    return pieceReader(body);
  }
}

/** A reader whose pieces are whoever reads them's to keep. */
export function pieceReader(body: Body): BodyReader {
  const reader = body.getReader();
  return {
    lends: false,
    read: async () => (await reader.read()).value,
    rest: () => {},
    cancel: () => reader.cancel(),
  };
}

/** What the runtime itself reads at a time. */
const LENT_BYTES = 64 * 1024;

/** Buffers kept for the next body: as many bodies are read at the same time. */
const MAX_SPARE = 16;

const spare: ArrayBuffer[] = [];

class LendingReader implements BodyReader {
  readonly lends = true;
  readonly #reader: ReadableStreamBYOBReader;
  #buffer: ArrayBuffer | undefined;

  constructor(reader: ReadableStreamBYOBReader) {
    this.#reader = reader;
  }

  async read(): Promise<Piece | undefined> {
    const buffer = this.#buffer ?? spare.pop() ?? new ArrayBuffer(LENT_BYTES);
    // The runtime has it while it reads, and gives it back in another's name.
    this.#buffer = undefined;
    const { done, value } = await this.#reader.read(new Uint8Array(buffer));
    this.#buffer = value?.buffer;
    if (!done) return value;
    this.rest();
    return undefined;
  }

  rest(): void {
    if (this.#buffer && spare.length < MAX_SPARE) spare.push(this.#buffer);
    this.#buffer = undefined;
  }

  cancel(): Promise<void> {
    this.rest();
    return this.#reader.cancel();
  }
}
