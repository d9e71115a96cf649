/** Puts pieces of `total` bytes into one. A single piece is not copied. */
export function joinBytes<Memory extends ArrayBufferLike>(
  pieces: readonly Uint8Array<Memory>[],
  total: number,
): Uint8Array<Memory | ArrayBuffer> {
  const [only] = pieces;
  if (only && pieces.length === 1) return only;
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
