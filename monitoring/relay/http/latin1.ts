/**
 * Each byte as the character of its number: how HTTP's heads are read (RFC 9110, section 5.5). To spread
 * the bytes over arguments would make an array of them first, and take seven times as long.
 *
 * @param bytes some ten thousand at most: each is an argument of one call
 */
export function latin1(bytes: Uint8Array): string {
  return String.fromCharCode.apply(null, bytes as unknown as number[]);
}

/** The bytes of a text whose characters are all below U+0100. */
export function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
