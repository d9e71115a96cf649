import { NBSP } from "../monitoring/models/duration.ts";

export { formatDuration, formatOffset } from "../monitoring/models/duration.ts";

/** Binary units, because the limits in the contract are binary (MiB). */
const BYTE_UNITS = ["KiB", "MiB", "GiB", "TiB"] as const;

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

/** A whole number: `12,345`. The first `toLocaleString` of a page takes 50 ms, on a phone 250 ms. */
export const formatNumber = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

/** The first eight characters of a trace, event or replay id, without hyphens. */
export function shortId(id: string): string {
  return id.replaceAll("-", "").slice(0, SHORT_ID_LENGTH);
}

/** The first `max` characters of a text, without half of a surrogate pair. Senders decide how long their texts are. */
export function cutText(text: string, max: number): string {
  return text.slice(0, max).toWellFormed();
}

/** {@linkcode cutText} with an ellipsis if characters are missing. */
export function ellipsize(text: string, max: number): string {
  return text.length > max ? `${cutText(text, max)}…` : text;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
