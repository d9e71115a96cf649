/**
 * Each byte as the character of its number: how HTTP's heads are read (RFC 9110, section 5.5). To spread
 * the bytes over arguments would make an array of them first, and take seven times as long.
 *
 * @param bytes some ten thousand at most: each is an argument of one call
 */
export function latin1(bytes: Uint8Array): string {
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}

const ascii = new TextEncoder();

/**
 * Writes a text whose characters are all below U+0100, a byte for each, to the start of `bytes`, which must
 * have room for it.
 */
export function writeLatin1(text: string, bytes: Uint8Array<ArrayBuffer>): void {
  // The runtime's own encoder is many times as fast, and writes the same where all is ASCII.
  const { read, written } = ascii.encodeInto(text, bytes);
  if (read === text.length && written === read) return;
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
}
