/** Concatenates chunks of `total` bytes together. A single chunk is returned itself, not a copy. */
export function joinBytes<Memory extends ArrayBufferLike>(
  chunks: readonly Uint8Array<Memory>[],
  total: number,
): Uint8Array<Memory | ArrayBuffer> {
  const [only] = chunks;
  if (only && chunks.length === 1) return only;
  const whole = new Uint8Array(total);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
