import type { ReactNode } from "react";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { PageFacts } from "../../components/page_facts.ts";
import type { TelemetryState } from "../../monitoring/browser/mod.ts";

/** The ends of the pipeline, for display. */
export type PipelineEnds = Pick<PageFacts, "variant" | "route" | "ingest">;

/** Envelopes of this page. */
export interface PipelineCounts {
  /** In this browser, without an answer. */
  readonly waiting: number;
  /** In the relay's spool. */
  readonly spooled: number;
  readonly refused: number;
  readonly accepted: number;
}

export const NOTHING_SENT: PipelineCounts = { waiting: 0, spooled: 0, refused: 0, accepted: 0 };

/**
 * The pipeline: browser, relay and ingest with their counts, and status lines. Each count has a mark and a word: colour is
 * never the only difference.
 *
 * @param props.counts default: nothing was sent
 * @param props.status about this page
 * @param props.allSenders about all senders; undefined: not loaded yet
 * @param props.children further content below
 */
export function Pipeline({ ends, counts = NOTHING_SENT, status, allSenders, children }: {
  ends: PipelineEnds;
  counts?: PipelineCounts;
  status: ReactNode;
  allSenders?: ReactNode;
  children?: ReactNode;
}) {
  const { waiting, spooled, refused, accepted } = counts;
  return (
    <div className="pipeline">
      <ol className="facts ends">
        <li>
          <p className="one-line">
            <b>this browser</b>
          </p>
          <span className={waiting > 0 ? "waits" : "zero"}>
            <OutcomeMark kind="waits" />
            {waiting} waiting
          </span>
        </li>
        <li>
          <p className="one-line">
            <b>{ends.route}</b>
          </p>
          <span>
            {spooled > 0 && (
              <span className="waits">
                <OutcomeMark kind="waits" />
                {spooled} spooled{" "}
              </span>
            )}
            <span className={refused > 0 ? "refused" : "zero"}>
              <OutcomeMark kind="refused" />
              {refused} refused
            </span>
          </span>
        </li>
        <li>
          <p className="one-line">
            <b>{ends.ingest}</b>
          </p>
          <span className={accepted > 0 ? "flows" : "zero"}>
            <OutcomeMark kind="flows" />
            {accepted} {acceptedWord(ends)} from this page
          </span>
        </li>
      </ol>
      <p className="facts ends quiet">{status}</p>
      {/* Rendered from the start, so that nothing below moves when it is loaded. */}
      <p className="facts ends quiet">{allSenders ?? <span>All senders: loading.</span>}</p>
      {children}
    </div>
  );
}

export const acceptedWord = ({ variant }: PipelineEnds) =>
  variant === "inbox" ? "stored" : "accepted";

/** Whether telemetry runs. */
export type PhaseState = Pick<TelemetryState, "phase" | "reason">;

/** {@linkcode phaseSentence} in two words. */
export const PHASE_SUMMARY: Readonly<Record<PhaseState["phase"], string>> = {
  waiting: "This page sent nothing yet",
  loading: "This page sent nothing yet",
  running: "This page sent nothing yet",
  failed: "Telemetry of this page failed",
};

/** The status line while telemetry does not run. */
export function phaseSentence({ phase, reason }: PhaseState): string {
  switch (phase) {
    case "waiting":
      return "Nothing sent yet. Telemetry starts when the page has loaded and is idle.";
    case "failed":
      return `Telemetry failed: ${reason ?? "no reason given"}. The page works without it.`;
    default:
      return "Nothing sent yet. Telemetry is loading.";
  }
}
