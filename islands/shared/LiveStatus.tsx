import { formatCount } from "../../components/format.ts";
import type { DataSource, SourceState } from "./source/source.ts";
import { pauseLists, resumeLists, usePausedState, useSourceState } from "./use_source.ts";

/** Whether the lists are live, how many envelopes there are, and the button that pauses all lists. */
export function LiveStatus({ source }: { source: DataSource | undefined }) {
  const now = useSourceState(source);
  const paused = usePausedState();
  return (
    <>
      <p>{paused ? describePause(now, paused) : describeState(now, source)}</p>
      <button
        type="button"
        disabled={!source}
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

function describeState({ state, total }: SourceState, source: DataSource | undefined): string {
  switch (state) {
    case "live":
      // The inbox's total would contradict the tab's count, which leaves out the page's own envelopes.
      return source?.scope === "visit"
        ? `${formatCount(total, "envelope")} of this visit.`
        : "Live.";
    case "offline":
      return "Offline: the inbox does not respond. Retrying.";
    default:
      return "Connecting.";
  }
}
