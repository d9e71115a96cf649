import "../shared/background_code.ts";
import { formatTimeOfDay } from "../../components/format_time.ts";
import { formatCount } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { RefusalReason } from "../shared/flow.ts";
import { SettledText } from "../shared/SettledText.tsx";
import { useTelemetry } from "../shared/telemetry.ts";
import { useFlow } from "../shared/use_flow.ts";
import {
  acceptedWord,
  PHASE_SUMMARY,
  type PipelineCounts,
  type PipelineEnds,
  PipelineStrip,
} from "./PipelineStrip.tsx";
import { type SenderTotals, useRelayHealth } from "./relay_health.ts";
import { statusSentence } from "./status_sentence.ts";
import { Tube } from "./Tube.tsx";

/** The strip while telemetry runs: counts since the page was opened, and what waits now. */
export function LivePipelineStrip(ends: PipelineEnds) {
  const { waiting, phase, reason, storageProblem, compressionProblem } = useTelemetry();
  const { flow, waitingSince } = useFlow();
  const health = useRelayHealth(ends.route);
  const spool = health?.spool;

  const { accepted, refused } = flow;
  // The relay's report, once it is loaded: what it has delivered since then is not spooled any more.
  const spooled = spool?.pending ?? (flow.spoolingSince === undefined ? 0 : flow.spooled);
  const counts = { waiting, spooled, refused, accepted };
  const state = { flow, waiting, waitingSince, phase, reason };
  const [newest] = flow.refusals;
  const wasAnythingSent = accepted + refused + spooled + waiting > 0;
  return (
    <PipelineStrip
      ends={ends}
      counts={counts}
      summary={phase === "running" && accepted > 0 ? "All delivered" : PHASE_SUMMARY[phase]}
      tube={<Tube fresh={flow.fresh} waiting={waiting} />}
      status={
        <>
          <span>This page: {statusSentence({ ...state, spool })}</span>
          {storageProblem && <span className="waits">Envelopes are kept {storageProblem}.</span>}
          {compressionProblem && <span className="waits">Recordings are {compressionProblem}.
          </span>}
          <small>
            Counted since the page was opened, {formatTimeOfDay(performance.timeOrigin)}.
          </small>
        </>
      }
      announcement={
        <SettledText
          text={wasAnythingSent
            ? `${countsText(ends, counts)}. ${newest ? `Last refused: ${newest.reason}. ` : ""}` +
              // Without the age of what is spooled: it changes all the time and would be read aloud each time.
              statusSentence(state)
            : ""}
        />
      }
      allSenders={health?.totals && (
        <AllSenders ends={ends} totals={health.totals} readAt={health.readAt} />
      )}
    >
      <Refusals refusals={flow.refusals} />
    </PipelineStrip>
  );
}

/** The counts as one sentence for screen readers. */
function countsText(ends: PipelineEnds, counts: PipelineCounts): string {
  const { waiting, spooled, refused, accepted } = counts;
  return `This page: ${formatCount(accepted, "envelope")} ${acceptedWord(ends)}, ` +
    `${waiting} waiting, ${spooled > 0 ? `${spooled} spooled, ` : ""}${refused} refused`;
}

/** Reasons that are listed one by one. */
const MAX_REASONS_SHOWN = 3;

/** Why envelopes were refused, newest reason first. */
function Refusals({ refusals }: { refusals: readonly RefusalReason[] }) {
  if (refusals.length === 0) return null;
  const more = refusals.length - MAX_REASONS_SHOWN;
  return (
    <ul className="refusals" aria-label="Refused, by reason">
      {refusals.slice(0, MAX_REASONS_SHOWN).map(({ reason, status, count, lastAt }) => (
        <li key={`${status} ${reason}`}>
          <OutcomeMark kind="refused" />
          <b>{count}</b> refused{status === undefined ? "" : ` (status ${status})`}, the last at
          {" "}
          {formatTimeOfDay(lastAt)}: {reason}
        </li>
      ))}
      {more > 0 && <li>and for {formatCount(more, "other reason")}</li>}
    </ul>
  );
}

/** Outcomes of all senders' envelopes: of this page, other pages, other programs and the server. */
function AllSenders({ ends, totals, readAt }: {
  ends: PipelineEnds;
  totals: SenderTotals;
  readAt: number;
}) {
  const { accepted, refused, reasons } = totals;
  const reasonsText = reasons.map(({ word, count }) => `${count} ${word}`).join(", ");
  return (
    <>
      <span>
        All senders: {accepted} {ends.variant === "inbox" ? "stored" : "delivered"},{" "}
        <span className={refused > 0 ? "refused" : undefined}>
          {refused > 0 && <OutcomeMark kind="refused" />}
          {refused} refused{refused > 0 && ` (${reasonsText})`}.
        </span>
      </span>
      <small>Counted since the server started, read at {formatTimeOfDay(readAt)}.</small>
    </>
  );
}
