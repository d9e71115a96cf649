import { HOUR_MS, MINUTE_MS, SECOND_MS } from "./time_units.ts";

/** No-break space: keeps a number and its unit on one line. */
export const NBSP = "\u00a0";

/**
 * A duration: `870 µs`, `1.87 ms`, `38 ms`, `1.24 s`, `2 min 05 s`, `1 h 02 min`. Lists, details and assistants have the
 * same text.
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
  const us = Math.round(ms * 1000);
  if (ms === 0) return `0${NBSP}ms`;
  if (us < 1000) return `${us || "<1"}${NBSP}µs`;
  if (ms < 9.995) return `${Number(ms.toFixed(2))}${NBSP}ms`;
  if (Math.round(ms) < SECOND_MS) return `${Math.round(ms)}${NBSP}ms`;
  if (Math.round(ms / 10) < MINUTE_MS / 10) return `${(ms / SECOND_MS).toFixed(2)}${NBSP}s`;
  if (Math.round(ms / SECOND_MS) < HOUR_MS / SECOND_MS) {
    return formatSixtieths(Math.round(ms / SECOND_MS), "min", "s");
  }
  return formatSixtieths(Math.round(ms / MINUTE_MS), "h", "min");
}

/** `125` → `2 min 05 s`: the smaller unit always has two digits. */
function formatSixtieths(sixtieths: number, large: string, small: string): string {
  const rest = String(sixtieths % 60).padStart(2, "0");
  return `${Math.floor(sixtieths / 60)}${NBSP}${large}${NBSP}${rest}${NBSP}${small}`;
}

/** {@linkcode formatDuration} of a time after another one, or before it: `−1.55 s`. */
export function formatOffset(ms: number): string {
  return ms < 0 ? `−${formatDuration(-ms)}` : formatDuration(ms);
}
