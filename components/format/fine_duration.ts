import { formatDuration } from "./duration.ts";

const NBSP = "\u00a0";

/** A span of time where parts of a millisecond count: `0 ms`, `0.4 ms`, `5.2 ms`; longer ones as {@linkcode formatDuration} has them. */
export function formatFineDuration(ms: number): string {
  if (!(ms >= 0 && ms < 9.95)) return formatDuration(ms);
  return ms < 0.05 ? `${ms === 0 ? "0" : "<0.1"}${NBSP}ms` : `${ms.toFixed(1)}${NBSP}ms`;
}
