import { formatCount } from "../../components/format.ts";
import { source, type SourceState } from "../data/source.ts";
import { pauseLists, resumeLists, usePausedState, useSourceState } from "../data/queries.ts";

/** Whether the lists are live, how many envelopes there are, and the button that pauses all lists. */
export function LiveStatus() {
  const now = useSourceState();
  const paused = usePausedState();
  return (
    <>
      <p>{paused ? describePause(now, paused) : describeState(now)}</p>
      <button
        type="button"
        onClick={() => paused ? resumeLists() : pauseLists(now)}
      >
        {paused ? "Resume" : "Pause"}
      </button>
    </>
  );
}

function describePause(now: SourceState, paused: SourceState): string {
  return `Paused; ${formatCount(Math.max(0, now.total - paused.total), "new envelope")}.`;
}

function describeState({ state, total }: SourceState): string {
  switch (state) {
    case "live":
      // The inbox's total would contradict the tab's count, which leaves out the page's own envelopes.
      return source.scope === "visit"
        ? `${formatCount(total, "envelope")} of this visit.`
        : "Live.";
    case "offline":
      return "Offline: the inbox does not respond. Retrying.";
    default:
      return "Connecting.";
  }
}
