/** Bytes `start` to `end`, both included, as `Content-Range` counts them. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const SINGLE_RANGE = /^bytes[ \t]*=[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*$/i;

/**
 * RFC 9110, 14.1.2, for a body of `size` bytes. `undefined`: to be ignored, the whole body is the
 * answer (another unit, not well-formed, or several ranges, which a server may decline).
 * `"unsatisfiable"`: 416.
 */
export function parseRange(header: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const match = SINGLE_RANGE.exec(header);
  if (match === null) return undefined;
  const [, first, last, suffix] = match;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === undefined || last === "" ? Infinity : Number(last);
  if (end < start) return undefined;
  if (start >= size) return "unsatisfiable";
  return { start, end: Math.min(end, size - 1) };
}
