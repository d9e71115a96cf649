import { formatClock } from "./format/clock.ts";
import type { Refusal } from "./flow.ts";
import { Mark } from "./Mark.tsx";

/** Reasons that find room under the tube. */
const SHOWN = 3;

/** What was refused and why, the reason of the newest refusal first. */
export function Refusals({ refusals }: { refusals: readonly Refusal[] }) {
  if (refusals.length === 0) return null;
  const more = refusals.length - SHOWN;
  return (
    <ul className="refusals" aria-label="Refused, by reason">
      {refusals.slice(0, SHOWN).map(({ why, status, count, lastAt }) => (
        <li key={`${status} ${why}`}>
          <Mark kind="refused" />
          <b>{count}</b> refused{status === undefined ? "" : ` (status ${status})`}, the last at
          {" "}
          {formatClock(lastAt)}: {why}
        </li>
      ))}
      {more > 0 && <li>and for {more} other {more === 1 ? "reason" : "reasons"}</li>}
    </ul>
  );
}
