import { formatClock } from "../../components/format_time.ts";
import type { Refusal } from "../shared/flow.ts";
import type { GlassPlace } from "./Glass.tsx";
import { Mark } from "../../components/Mark.tsx";
import type { SenderTotals } from "./relay_health.ts";

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

/**
 * How all senders' envelopes ended, those of other pages, of programs and of the server included.
 *
 * @param props.at when the relay reported it, milliseconds since the epoch
 */
export function AllSenders({ place, totals, at }: {
  place: GlassPlace;
  totals: SenderTotals;
  at: number;
}) {
  const { accepted, refused, reasons } = totals;
  const why = reasons.map(({ word, count }) => `${count} ${word}`).join(", ");
  return (
    <>
      <span>
        All senders: {accepted} {place.variant === "inbox" ? "stored" : "delivered"},{" "}
        <span className={refused > 0 ? "refused" : undefined}>
          {refused > 0 && <Mark kind="refused" />}
          {refused} refused{refused > 0 && ` (${why})`}.
        </span>
      </span>
      <small>Counted since the server started, read at {formatClock(at)}.</small>
    </>
  );
}
