/** Units of time in milliseconds. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Distances of times that people count in. */
const TIME_STEPS_MS: readonly number[] = [
  ...[10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR_MS),
];

/** The shortest of these distances that is not below `least` milliseconds; above half a day, whole days. */
export function timeStep(least: number): number {
  return TIME_STEPS_MS.find((step) => step >= least) ?? Math.ceil(least / DAY_MS) * DAY_MS;
}

const AGE_UNITS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
};

/**
 * Reads one end of a time range: milliseconds since 1970, or an age such as `10m`, `1h` or `7d`.
 *
 * @param now milliseconds since 1970
 * @returns milliseconds since 1970; undefined: neither of both
 */
export function readTimeBound(text: string, now: number): number | undefined {
  const [, digits = "", unit] = /^(\d{1,15})([smhd]?)$/.exec(text) ?? [];
  if (digits === "") return undefined;
  return unit ? now - Number(digits) * (AGE_UNITS[unit] ?? 0) : Number(digits);
}

/** Whether it moves with the time: rows leave the range although nothing was received. */
export const isAge = (text: string): boolean => /^\d{1,15}[smhd]$/.test(text);

/** Milliseconds, rounded to microseconds, which is what senders' clocks have. */
export const micro = (ms: number): number => Math.round(ms * 1_000) / 1_000;
