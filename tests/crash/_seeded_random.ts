/**
 * Numbers from 0 to below 1 that are the same for the same seed (xorshift32,
 * https://www.jstatsoft.org/article/view/v008i14), so that a run that failed can be drawn again.
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
