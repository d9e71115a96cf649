import { freeBytes } from "../protocol/free_bytes.ts";

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

/** Memory of a body that is to stay where it was read. */
export interface Room {
  /** Memory for the next piece, which then comes as the piece's own; also when nothing has come, empty. */
  take(): Piece;
  /** The memory comes back with nothing in it: the body is at its end. */
  giveBack(memory: Piece): void;
}

/** A reader whose pieces are whoever reads them's to keep. The runtime makes 64 KiB for each. */
export function pieceReader(body: Body): BodyReader {
  const reader = body.getReader();
  return {
    lends: false,
    read: async () => (await reader.read()).value,
    rest: () => {},
    cancel: () => reader.cancel(),
  };
}

/** A reader of pieces that stand where the body is to stay: nothing is made for them, and nothing copied. */
export function placingReader(body: Body, room: Room): BodyReader {
  const reader = byteReader(body);
  if (reader === undefined) return pieceReader(body);
  return {
    lends: false,
    async read() {
      const { done, value } = await reader.read(room.take());
      if (!done) return value;
      if (value) room.giveBack(value);
      return undefined;
    },
    rest: () => {},
    cancel: () => reader.cancel(),
  };
}

/** A reader that lends its pieces, all in the same memory, which is another body's afterwards. */
export function lendingReader(body: Body): BodyReader {
  const reader = byteReader(body);
  return reader === undefined ? pieceReader(body) : new LendingReader(reader);
}

/** Undefined for a body that came whole with its head: the runtime hands it out by a stream that is none of bytes. */
function byteReader(body: Body): ReadableStreamBYOBReader | undefined {
  try {
    return body.getReader({ mode: "byob" });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
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
    // The runtime has it while it reads, and gives it back under another name.
    this.#buffer = undefined;
    const { done, value } = await this.#reader.read(new Uint8Array(buffer));
    this.#buffer = value?.buffer;
    if (!done) return value;
    this.rest();
    return undefined;
  }

  rest(): void {
    const buffer = this.#buffer;
    this.#buffer = undefined;
    if (buffer === undefined || buffer.detached) return;
    if (spare.length < MAX_SPARE) spare.push(buffer);
    else freeBytes(new Uint8Array(buffer));
  }

  cancel(): Promise<void> {
    this.rest();
    return this.#reader.cancel();
  }
}
