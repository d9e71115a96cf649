/**
 * A hash of some texts, of 14 hex digits: cyrb53 by bryc
 * (https://github.com/bryc/code/blob/master/jshash/experimental/cyrb53.js) over code points, with 56 of its 64 bits.
 * Not cryptographic: a sender may force collisions, which merge groups of errors or applications and nothing else. Stored: a
 * change needs a schema version.
 */
export function digest(parts: readonly string[]): string {
  let h1 = 0xdeadbeef;
  let h2 = 0x41c6ce57;
  for (const char of parts.join("\0")) {
    const code = char.codePointAt(0) ?? 0;
    h1 = Math.imul(h1 ^ code, 0x9e3779b1);
    h2 = Math.imul(h2 ^ code, 0x5f356495);
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 0x85ebca6b) ^ Math.imul(h2 ^ (h2 >>> 13), 0xc2b2ae35);
  h2 = Math.imul(h2 ^ (h2 >>> 16), 0x85ebca6b) ^ Math.imul(h1 ^ (h1 >>> 13), 0xc2b2ae35);
  return hex(h2).slice(2) + hex(h1);
}

const hex = (word: number) => (word >>> 0).toString(16).padStart(8, "0");
