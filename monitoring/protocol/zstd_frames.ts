/** Magic number of a frame, little-endian (RFC 8878, section 3.1.1). */
const FRAME_MAGIC = 0xfd2fb528;
/** Magic number of a skippable frame; its lower four bits are arbitrary (section 3.1.2). */
const SKIPPABLE_MAGIC = 0x184d2a50;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const RLE_BLOCK = 1;

/** The next bytes of a frame: a number, or skipped content. */
type Field = readonly ["number" | "skip", bytes: number];

/**
 * The fields of a frame. The generator is resumed with the number that was read.
 *
 * ```
 * frame     = magic descriptor [window] [dictionary id] [content size] 1*block [checksum]
 * block     = 3 bytes: last (1 bit), type (2), size (21); then the block's content
 * skippable = magic, 4 bytes: size; then the content
 * ```
 */
function* fieldsOfFrame(): Generator<Field, void, number> {
  const magic = yield ["number", 4];
  if (magic - magic % 16 === SKIPPABLE_MAGIC) {
    yield ["skip", yield ["number", 4]];
    return;
  }
  // Not Zstandard, which the decompressor reports: a frame without an end.
  if (magic !== FRAME_MAGIC) yield ["skip", Infinity];
  const descriptor = yield ["number", 1];
  const singleSegment = (descriptor & 0x20) !== 0;
  const contentSizeFlag = descriptor >> 6;
  yield ["skip", singleSegment ? 0 : 1];
  yield ["skip", DICTIONARY_ID_BYTES[descriptor & 0x03] ?? 0];
  yield ["skip", singleSegment && contentSizeFlag === 0 ? 1 : CONTENT_SIZE_BYTES[contentSizeFlag]!];
  let block: number;
  do {
    block = yield ["number", 3];
    yield ["skip", (block >> 1 & 3) === RLE_BLOCK ? 1 : block >> 3];
  } while ((block & 1) === 0);
  yield ["skip", (descriptor & 0x04) === 0 ? 0 : 4];
}

/**
 * Finds the frame boundaries of Zstandard data, chunk by chunk, without decompressing it. Needed because `node:zlib`
 * reports neither a truncated frame nor bytes after a frame in the same chunk.
 */
export class ZstdFrames {
  /** Whether there was at least one frame and the last one is complete. */
  complete = false;
  #fields = fieldsOfFrame();
  #field = this.#fields.next().value as Field;
  /** Bytes of the field so far, and their number. */
  #read = 0;
  #number = 0;

  /** Splits a chunk at frame boundaries: no part has bytes of two frames. */
  split(chunk: Uint8Array): Uint8Array[] {
    const parts: Uint8Array[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length;) {
      const [kind, bytes] = this.#field;
      if (kind === "number") this.#number += chunk[at]! * 256 ** this.#read;
      const count = kind === "number" ? 1 : Math.min(bytes - this.#read, chunk.length - at);
      at += count;
      this.#read += count;
      this.complete = this.#read === bytes && this.#endField();
      if (this.complete || at === chunk.length) {
        parts.push(chunk.subarray(from, at));
        from = at;
      }
    }
    return parts;
  }

  /** Continues with the next field that has bytes. Returns whether it is that of a new frame. */
  #endField(): boolean {
    let next = this.#fields.next(this.#number);
    while (next.value?.[1] === 0) next = this.#fields.next(0);
    this.#read = 0;
    this.#number = 0;
    if (next.done) this.#fields = fieldsOfFrame();
    this.#field = next.value ?? this.#fields.next().value as Field;
    return next.done === true;
  }
}
