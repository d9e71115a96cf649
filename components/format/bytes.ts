/** No-break space: a number never parts from its unit at the end of a line. */
const NBSP = "\u00a0";

/** Binary steps, as the limits of the contract are written (MiB), so that the two can be compared. */
const STEPS = ["KiB", "MiB", "GiB", "TiB"] as const;

/**
 * A size for people: `312 B`, `4.1 KiB`, `128 KiB`, `20.0 MiB`. One decimal below 100, none from there.
 *
 * @param bytes a size in bytes; anything that is not a finite number of at least 0 gives an en dash
 *
 * @example
 * ```ts
 * import { formatBytes } from "./bytes.ts";
 *
 * formatBytes(4200); // "4.1 KiB"
 * ```
 */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes) || bytes < 0) return "–";
  let value = bytes;
  let unit = "B";
  for (const step of STEPS) {
    // Rounding must not show 1024 of a unit: 1023.95 KiB is 1.0 MiB.
    if (unit === "B" ? value < 1024 : Math.round(value) < 1024) break;
    value /= 1024;
    unit = step;
  }
  const digits = unit === "B" || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)}${NBSP}${unit}`;
}
