import { formatClockMs } from "./format/clock.ts";
import { Time } from "./Time.tsx";

/** {@linkcode Time} to the millisecond. */
export function Moment({ at }: {
  /** Milliseconds since 1970; null or no time at all: an en dash. */
  at: number | null;
}) {
  return <Time at={at ?? NaN} clock={formatClockMs} />;
}
