/** Milliseconds of the units in which an age is written. */
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
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
  return unit ? now - Number(digits) * (UNIT_MS[unit] ?? 0) : Number(digits);
}

/** Whether it moves with the time: rows leave the range although nothing was received. */
export const isAge = (text: string): boolean => /^\d{1,15}[smhd]$/.test(text);
