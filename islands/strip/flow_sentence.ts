import { formatClock } from "../../components/format_time.ts";
import { formatCount, formatDuration } from "../../components/format.ts";
import type { Flow } from "../shared/flow.ts";
import { phaseSentence, type PhaseState } from "./phase_sentence.ts";
import type { SpoolReading } from "./relay_health.ts";

/** Where telemetry stands, as far as the sentence needs it. */
export interface FlowState extends PhaseState {
  readonly flow: Pick<Flow, "accepted" | "refused" | "spoolingSince">;
  /** Envelopes kept in the browser. */
  readonly waiting: number;
  /** When the oldest of them that this page knows was made, milliseconds since the epoch. */
  readonly waitingSince?: number | undefined;
  /** What the relay's spool held when it was last asked; undefined: it was not. */
  readonly spool?: SpoolReading | undefined;
}

/** The one sentence under the tube: of all that is true, what matters most right now. */
export function flowSentence(state: FlowState): string {
  const { flow, waiting, waitingSince, phase, spool } = state;
  if (phase === "failed") return phaseSentence(state);
  if (waiting > 0) {
    const since = waitingSince === undefined ? "" : `, since ${formatClock(waitingSince)}`;
    return `${
      formatCount(waiting, "envelope")
    } kept in this browser until an answer comes${since}.`;
  }
  const since = flow.spoolingSince;
  if (since !== undefined && spool?.pending !== 0) {
    const kept = spool ? inSpool(spool) : "the relay keeps what comes, on its disk";
    return `The ingest has not answered since ${formatClock(since)}: ${kept}.`;
  }
  if (spool && spool.pending > 0) return `The ingest answers again: ${inSpool(spool)}.`;
  if (phase !== "running") return phaseSentence(state);
  if (since !== undefined) return "The ingest answers again: nothing waits in the relay’s spool.";
  if (flow.refused > 0) return "Nothing waits.";
  return flow.accepted === 0 ? "Still. Nothing has been sent yet." : "All delivered.";
}

/** The relay keeps for everybody: other pages and the server itself count too. */
function inSpool({ pending, oldestAgeS }: SpoolReading): string {
  // The relay tells whole seconds.
  const oldest = oldestAgeS < 60 ? `${oldestAgeS}\u00a0s` : formatDuration(oldestAgeS * 1000);
  return `the relay keeps ${formatCount(pending, "envelope")} of all senders on its disk, ` +
    (pending === 1 ? `for ${oldest}` : `the oldest for ${oldest}`);
}
