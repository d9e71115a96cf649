/** No-break space: keeps a number and its unit on one line. */
const NBSP = "\u00a0";

/** Binary units, because the limits in the contract are binary (MiB). */
const BYTE_UNITS = ["KiB", "MiB", "GiB", "TiB"] as const;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Hexadecimal digits of a shortened id: among 500 rows a collision has a chance of 1 in 30,000. */
const SHORT_ID_LENGTH = 8;

/**
 * A size: `312 B`, `4.1 KiB`, `128 KiB`, `20.0 MiB`. One decimal below 100, none from there.
 *
 * @param bytes anything that is not a finite number of at least 0 gives an en dash
 *
 * @example
 * ```ts
 * import { formatBytes } from "./format.ts";
 *
 * formatBytes(4200); // "4.1 KiB"
 * ```
 */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) return "–";
  let value = bytes;
  let unit = "B";
  for (const next of BYTE_UNITS) {
    // Compares the rounded value: 1023.95 KiB is shown as 1.0 MiB, not as 1024 KiB.
    if (unit === "B" ? value < 1024 : Math.round(value) < 1024) break;
    value /= 1024;
    unit = next;
  }
  const digits = unit === "B" || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)}${NBSP}${unit}`;
}

/**
 * A number with its noun: `1 envelope`, `12,400 envelopes`. Always English, so that build and browser
 * write the same text.
 *
 * @param n a whole number
 * @param plural default: the singular with an s
 *
 * @example
 * ```ts
 * import { formatCount } from "./format.ts";
 *
 * formatCount(2, "envelope"); // "2 envelopes"
 * ```
 */
export function formatCount(n: number, singular: string, plural = `${singular}s`): string {
  return `${formatNumber(n)}${NBSP}${n === 1 ? singular : plural}`;
}

/**
 * A whole number: `12,345`. The first `toLocaleString` of a page takes 50 ms, on a phone 250 ms.
 *
 * @param n a whole number
 */
export const formatNumber = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

/**
 * A duration: `<1 ms`, `38 ms`, `1.24 s`, `2 min 05 s`, `1 h 02 min`.
 *
 * @param ms milliseconds; anything that is not a finite number of at least 0 gives an en dash
 *
 * @example
 * ```ts
 * import { formatDuration } from "./format.ts";
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
    return formatSixtieths(Math.round(ms / SECOND), "min", "s");
  }
  return formatSixtieths(Math.round(ms / MINUTE), "h", "min");
}

/** `125` → `2 min 05 s`: the smaller unit always has two digits. */
function formatSixtieths(sixtieths: number, large: string, small: string): string {
  const rest = String(sixtieths % 60).padStart(2, "0");
  return `${Math.floor(sixtieths / 60)}${NBSP}${large}${NBSP}${rest}${NBSP}${small}`;
}

/** {@linkcode formatDuration} with a decimal below 10 ms: `<0.1 ms`, `0.4 ms`, `5.2 ms`. */
export function formatFineDuration(ms: number): string {
  if (!(ms >= 0 && ms < 9.95)) return formatDuration(ms);
  return ms < 0.05 ? `${ms === 0 ? "0" : "<0.1"}${NBSP}ms` : `${ms.toFixed(1)}${NBSP}ms`;
}

/** {@linkcode formatFineDuration} of a time after another one, or before it: `−1.55 s`. */
export function formatOffset(ms: number): string {
  return ms < 0 ? `−${formatFineDuration(-ms)}` : formatFineDuration(ms);
}

/** The first eight characters of a trace, event or replay id, without hyphens. */
export function shortId(id: string): string {
  return id.replaceAll("-", "").slice(0, SHORT_ID_LENGTH);
}
