import type { ReactNode } from "react";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { NOTHING_SENT, type PipelineCounts } from "../pipeline/Pipeline.tsx";

/**
 * The pipeline in the sidebar: the drawn pipe, and what waits or was refused, else a short status. It opens the whole.
 *
 * @param props.counts default: nothing was sent
 * @param props.tube content of the drawn pipe, hidden from screen readers
 * @param props.summary the short status
 * @param props.announcement for screen readers, when it changes
 * @param props.children the whole, a {@linkcode Pipeline}
 */
export function PipelineStrip(
  { route, counts = NOTHING_SENT, tube, summary, announcement, children }: {
    route: string;
    counts?: PipelineCounts;
    tube?: ReactNode;
    summary: string;
    announcement?: ReactNode;
    children: ReactNode;
  },
) {
  const { waiting, spooled, refused } = counts;
  const isQuiet = waiting + spooled + refused === 0;
  return (
    <div data-route={route} data-sentry-block="">
      <button
        type="button"
        className="pipeline-mark line bare small"
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
      <div id="pipeline" popover="auto" className="pipeline-strip">{children}</div>
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
