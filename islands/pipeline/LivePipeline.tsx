import { formatTimeOfDay } from "../../components/format_time.ts";
import { formatCount } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { RefusalReason } from "../shared/flow.ts";
import { useTelemetry } from "../shared/telemetry.ts";
import { useFlow } from "../shared/use_flow.ts";
import { Pipeline, type PipelineEnds } from "./Pipeline.tsx";
import { type SenderTotals, useRelayHealth } from "./relay_health.ts";
import { statusSentence } from "./status_sentence.ts";

/** The pipeline while telemetry runs: counts since the page was opened, and what waits now. */
export function usePipeline({ route }: PipelineEnds) {
  const telemetry = useTelemetry();
  const { flow, waitingSince } = useFlow();
  const health = useRelayHealth(route, flow);
  // The relay's report, once it is loaded: what it has delivered since then is not spooled any more.
  const spooled = health.spool?.pending ?? (flow.spoolingSince === undefined ? 0 : flow.spooled);
  const { accepted, refused } = flow;
  const counts = { waiting: telemetry.waiting, spooled, refused, accepted };
  return { ...telemetry, flow, waitingSince, health, counts };
}

/** The pipeline with its status lines. @param props.now of {@linkcode usePipeline} */
export function LivePipeline({ ends, now }: {
  ends: PipelineEnds;
  now: ReturnType<typeof usePipeline>;
}) {
  const { flow, health, counts, storageProblem, compressionProblem } = now;
  return (
    <Pipeline
      ends={ends}
      counts={counts}
      status={
        <>
          <span>This page: {statusSentence({ ...now, spool: health.spool })}</span>
          {storageProblem && <span className="waits">Envelopes are kept {storageProblem}.</span>}
          {compressionProblem && <span className="waits">Recordings are {compressionProblem}.
          </span>}
          <small>
            Counted since the page was opened, {formatTimeOfDay(performance.timeOrigin)}.
          </small>
        </>
      }
      allSenders={health.totals && (
        <AllSenders ends={ends} totals={health.totals} readAt={health.readAt} />
      )}
    >
      <Refusals refusals={flow.refusals} />
    </Pipeline>
  );
}

/** Reasons that are listed one by one. */
const MAX_REASONS_SHOWN = 3;

/** Why envelopes were refused, newest reason first. */
function Refusals({ refusals }: { refusals: readonly RefusalReason[] }) {
  if (refusals.length === 0) return null;
  const more = refusals.length - MAX_REASONS_SHOWN;
  return (
    <ul className="refused" aria-label="Refused, by reason">
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
