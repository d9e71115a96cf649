/** Bytes in a line: what a person's eye follows, and what other tools show. */
export const LINE_BYTES = 16;

/**
 * Bytes as people read them, in the form of `hexdump -C`: where the line begins, its bytes, and those of them that are
 * printable ASCII.
 *
 * @param from where the first byte stands in the whole
 *
 * @example
 * ```ts
 * import { hexDump } from "./hex_dump.ts";
 *
 * hexDump(new Uint8Array([0x7b, 0x7d, 0x0a]), 0); // "00000000  7b 7d 0a …  {}."
 * ```
 */
export function hexDump(bytes: Uint8Array, from = 0): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += LINE_BYTES) {
    const line = [...bytes.subarray(at, at + LINE_BYTES)];
    const place = (from + at).toString(16).padStart(8, "0");
    const digits = line.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const characters = line.map((byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "."
    );
    lines.push(`${place}  ${digits.padEnd(3 * LINE_BYTES - 1)}  ${characters.join("")}`);
  }
  return lines.join("\n");
}
