/**
 * A random generator (0 to below 1) that can be seeded, so that a failed run can be repeated. Algorithm: xorshift32
 * (https://www.jstatsoft.org/article/view/v008i14).
 */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
