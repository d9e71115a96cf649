import { formatTimeOfDay } from "../../components/format_time.ts";
import { formatCount, formatDuration } from "../../components/format.ts";
import type { Flow } from "../shared/flow.ts";
import { phaseSentence, type PhaseState } from "./Pipeline.tsx";
import type { SpoolReport } from "../../monitoring/protocol/relay_api.ts";

/** What the status line depends on. */
interface PipelineState extends PhaseState {
  readonly flow: Pick<Flow, "accepted" | "refused" | "spoolingSince">;
  /** Envelopes that wait in this browser. */
  readonly waiting: number;
  /** When the oldest of them was created, milliseconds since 1970; undefined: an earlier page created it. */
  readonly waitingSince?: number | undefined;
  /** The relay's spool as of its last report; undefined: not reported. */
  readonly spool?: Pick<SpoolReport, "pending" | "oldest_age_s"> | undefined;
}

/** The status line: the first of these that applies, most important first. */
export function statusSentence(state: PipelineState): string {
  const { flow, waiting, waitingSince, phase, spool } = state;
  if (phase === "failed") return phaseSentence(state);
  if (waiting > 0) {
    const since = waitingSince === undefined ? "" : ` since ${formatTimeOfDay(waitingSince)}`;
    return `${formatCount(waiting, "envelope")} waiting in this browser${since}.`;
  }
  const since = flow.spoolingSince;
  if (since !== undefined && spool?.pending !== 0) {
    const stored = spool ? spoolText(spool) : "the relay stores envelopes in its spool";
    return `The ingest has been unavailable since ${formatTimeOfDay(since)}: ${stored}.`;
  }
  if (spool && spool.pending > 0) return `The ingest is available again: ${spoolText(spool)}.`;
  if (phase !== "running") return phaseSentence(state);
  if (since !== undefined) return "The ingest is available again: the relay’s spool is empty.";
  if (flow.refused > 0) return "No envelopes waiting.";
  return flow.accepted === 0 ? "Nothing sent yet." : "All delivered.";
}

function spoolText(
  { pending, oldest_age_s }: NonNullable<PipelineState["spool"]>,
): string {
  // The relay reports whole seconds.
  const oldest = oldest_age_s < 60 ? `${oldest_age_s}\u00a0s` : formatDuration(oldest_age_s * 1000);
  return `the relay has ${formatCount(pending, "envelope")} of all senders in its spool, ` +
    (pending === 1 ? `for ${oldest}` : `the oldest for ${oldest}`);
}
