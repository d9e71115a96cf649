/**
 * A hash of some texts: 14 hex digits. Not cryptographic: a sender may force collisions, which merge groups or
 * sources, nothing else. Stored: a change needs a schema version.
 */
export function digest(parts: readonly string[]): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (const char of parts.join("\0")) {
    const code = char.codePointAt(0) ?? 0;
    a = Math.imul(a ^ code, 0x9e3779b1);
    b = Math.imul(b ^ code, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return hex(b).slice(2) + hex(a);
}

const hex = (word: number) => (word >>> 0).toString(16).padStart(8, "0");
