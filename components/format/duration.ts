const NBSP = "\u00a0";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * A span of time for people: `<1 ms`, `38 ms`, `1.24 s`, `2 min 05 s`, `1 h 02 min`.
 *
 * @param ms milliseconds; anything that is not a finite number of at least 0 gives an en dash
 *
 * @example
 * ```ts
 * import { formatDuration } from "./duration.ts";
 *
 * formatDuration(1240); // "1.24 s"
 * ```
 */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return "–";
  if (ms > 0 && ms < 1) return `<1${NBSP}ms`;
  if (Math.round(ms) < SECOND) return `${Math.round(ms)}${NBSP}ms`;
  if (Math.round(ms / 10) < MINUTE / 10) return `${(ms / SECOND).toFixed(2)}${NBSP}s`;
  if (Math.round(ms / SECOND) < HOUR / SECOND) {
    return pair(Math.round(ms / SECOND), "min", "s");
  }
  return pair(Math.round(ms / MINUTE), "h", "min");
}

/** Sixtieths → two units, the smaller one always of two digits. */
function pair(sixtieths: number, large: string, small: string): string {
  const rest = String(sixtieths % 60).padStart(2, "0");
  return `${Math.floor(sixtieths / 60)}${NBSP}${large}${NBSP}${rest}${NBSP}${small}`;
}
