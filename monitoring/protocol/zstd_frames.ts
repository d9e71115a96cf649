/** Magic number of a frame, little-endian (RFC 8878, section 3.1.1). */
const FRAME_MAGIC = 0xfd2fb528;
/** Magic number of a skippable frame; its lower four bits are arbitrary (section 3.1.2). */
const SKIPPABLE_MAGIC = 0x184d2a50;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
const RLE_BLOCK = 1;

/**
 * Finds the frame boundaries of Zstandard data, chunk by chunk, without decompressing it. Needed because `node:zlib`
 * reports neither a truncated frame nor bytes after a frame in the same chunk.
 *
 * ```
 * data  = 1*( frame / skippable )
 * frame = magic descriptor [window] [dictionary id] [content size] 1*block [checksum]
 * block = 3 bytes: last (1 bit), type (2), size (21); then the block's content
 * ```
 */
export class ZstdFrames {
  /** What `#gathered` is a part of. */
  #field: "magic" | "skippable size" | "descriptor" | "block" | "not Zstandard" = "magic";
  #gathered: number[] = [];
  #need = 4;
  /** Bytes to skip before the next field. */
  #skip = 0;
  #checksumBytes = 0;
  #frames = 0;

  /** Whether there was at least one frame and the last one is complete. */
  get complete(): boolean {
    return this.#frames > 0 && this.#betweenFrames;
  }

  get #betweenFrames(): boolean {
    return this.#field === "magic" && this.#skip === 0 && this.#gathered.length === 0;
  }

  /** Splits a chunk at frame boundaries: no part has bytes of two frames. */
  split(chunk: Uint8Array): Uint8Array[] {
    const parts: Uint8Array[] = [];
    let from = 0;
    for (let at = 0; at < chunk.length;) {
      if (this.#field === "not Zstandard") {
        at = chunk.length;
      } else if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, chunk.length - at);
        this.#skip -= skipped;
        at += skipped;
      } else {
        this.#gathered.push(chunk[at++] ?? 0);
        if (this.#gathered.length === this.#need) this.#readField();
      }
      if (this.#betweenFrames) {
        this.#frames++;
        parts.push(chunk.subarray(from, at));
        from = at;
      }
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
    return parts;
  }

  #readField(): void {
    const value = this.#gathered.reduceRight((high, byte) => high * 256 + byte, 0);
    this.#gathered = [];
    switch (this.#field) {
      case "magic":
        if (value === FRAME_MAGIC) this.#expect("descriptor", 1);
        else if (value - value % 16 === SKIPPABLE_MAGIC) this.#expect("skippable size", 4);
        else this.#field = "not Zstandard";
        break;
      case "skippable size":
        this.#skip = value;
        this.#expect("magic", 4);
        break;
      case "descriptor": {
        const singleSegment = (value & 0x20) !== 0;
        const contentSizeFlag = value >> 6;
        this.#checksumBytes = (value & 0x04) !== 0 ? 4 : 0;
        this.#skip = (singleSegment ? 0 : 1) + (DICTIONARY_ID_BYTES[value & 0x03] ?? 0) +
          (contentSizeFlag === 0 && singleSegment ? 1 : CONTENT_SIZE_BYTES[contentSizeFlag] ?? 0);
        this.#expect("block", 3);
        break;
      }
      case "block": {
        const last = (value & 1) !== 0;
        const type = (value >> 1) & 3;
        this.#skip = type === RLE_BLOCK ? 1 : value >> 3;
        if (!last) break;
        this.#skip += this.#checksumBytes;
        this.#expect("magic", 4);
        break;
      }
    }
  }

  #expect(field: "magic" | "skippable size" | "descriptor" | "block", bytes: number): void {
    this.#field = field;
    this.#need = bytes;
  }
}
