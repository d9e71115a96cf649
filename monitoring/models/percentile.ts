/** With fewer values there is no percentile: the values themselves are shown, and their number. */
export const MIN_SAMPLES = 5;

/** Up to so many values a percentile is shown with their number. */
export const FEW_SAMPLES = 20;

/** The rank of a percentile among `count` values, from 1, by nearest rank; undefined: there are too few. */
export const percentileRank = (count: number, share: number): number | undefined =>
  count < MIN_SAMPLES ? undefined : Math.ceil(count * share);

/** A percentile by nearest rank. Null: there are fewer than {@linkcode MIN_SAMPLES} values. */
export function percentile(values: readonly number[], share: number): number | null {
  const rank = percentileRank(values.length, share);
  return rank === undefined ? null : values.toSorted((a, b) => a - b)[rank - 1]!;
}
