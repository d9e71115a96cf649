import type { ReactNode } from "react";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";

/** The ends of the pipeline, for display. */
export interface PipelineEnds {
  /** `inbox` or `relay`. */
  readonly variant: string;
  /** Where the browser posts to: a path, or "straight to the ingest". */
  readonly route: string;
  /** Where envelopes are delivered to. */
  readonly ingest: string;
}

/** Envelopes of this page. */
export interface PipelineCounts {
  /** In this browser, without an answer. */
  readonly waiting: number;
  /** In the relay's spool. */
  readonly spooled: number;
  readonly refused: number;
  readonly accepted: number;
}

const NOTHING_SENT: PipelineCounts = { waiting: 0, spooled: 0, refused: 0, accepted: 0 };

/**
 * The pipeline. In the sidebar: the drawn pipe, and what waits or was refused, else a short status. It opens the whole:
 * browser, relay and ingest with their counts, and status lines. Each count has a mark and a word: colour is never the
 * only difference.
 *
 * @param props.counts default: nothing was sent
 * @param props.tube content of the drawn pipe, hidden from screen readers
 * @param props.summary the short status
 * @param props.status about this page
 * @param props.allSenders about all senders; undefined: not loaded yet
 * @param props.announcement for screen readers, when it changes
 * @param props.children further content below
 */
export function PipelineStrip(
  { ends, counts = NOTHING_SENT, tube, summary, status, allSenders, announcement, children }: {
    ends: PipelineEnds;
    counts?: PipelineCounts;
    tube?: ReactNode;
    summary: string;
    status: ReactNode;
    allSenders?: ReactNode;
    announcement?: ReactNode;
    children?: ReactNode;
  },
) {
  const { waiting, spooled, refused, accepted } = counts;
  const isQuiet = waiting + spooled + refused === 0;
  return (
    <div data-route={ends.route} data-sentry-block="">
      <button
        type="button"
        className="pipeline-mark"
        popoverTarget="pipeline"
        title="What this page has sent, and what became of it"
      >
        <span className="tube" aria-hidden="true">
          <i className="valve" />
          {tube}
        </span>
        <span className="vh">Pipeline:</span>
        {isQuiet && <span className="zero">{summary}</span>}
        {waiting > 0 && <Count kind="waits">{waiting} waiting</Count>}
        {spooled > 0 && <Count kind="waits">{spooled} spooled</Count>}
        {refused > 0 && <Count kind="refused">{refused} refused</Count>}
      </button>
      {announcement}
      <div id="pipeline" popover="auto" className="pipeline-strip">
        <ol>
          <li>
            <span>this browser</span>
            <span className={waiting > 0 ? "waits" : "zero"}>
              <OutcomeMark kind="waits" />
              {waiting} waiting
            </span>
          </li>
          <li>
            <span>{ends.route}</span>
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
            <span>{ends.ingest}</span>
            <span className={accepted > 0 ? "flows" : "zero"}>
              <OutcomeMark kind="flows" />
              {accepted} {acceptedWord(ends)} <span className="from-page">from this page</span>
            </span>
          </li>
        </ol>
        <p className="status-line">{status}</p>
        {/* Rendered from the start, so that nothing below moves when it is loaded. */}
        <p className="status-line">{allSenders ?? <span>All senders: loading.</span>}</p>
        {children}
      </div>
    </div>
  );
}

function Count({ kind, children }: { kind: "waits" | "refused"; children: ReactNode }) {
  return (
    <span className={kind}>
      <OutcomeMark kind={kind} />
      {children}
    </span>
  );
}

export const acceptedWord = ({ variant }: PipelineEnds) =>
  variant === "inbox" ? "stored" : "accepted";

/** Whether telemetry runs. */
export interface PhaseState {
  readonly phase: "waiting" | "loading" | "running" | "failed";
  /** Why it failed. */
  readonly reason?: string | undefined;
}

/** {@linkcode phaseSentence} in two words. */
export const PHASE_SUMMARY: Readonly<Record<PhaseState["phase"], string>> = {
  waiting: "Nothing sent yet",
  loading: "Nothing sent yet",
  running: "Nothing sent yet",
  failed: "Telemetry failed",
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
