import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { Mark } from "../../components/Icon.tsx";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { type PipelineStatus, pipelineStatus } from "../pipeline/pipeline_status.ts";
import type { PipelineEnds } from "../pipeline/PipelineCounts.tsx";
import { withBoundary } from "../shared/ErrorBoundary.tsx";
import { useTelemetry } from "../shared/telemetry.ts";

/** The pipeline in the sidebar: a mark and a sentence, which open its counts. */
export const PipelineMark = withBoundary("The pipeline", IdleOrLive);

/** Before telemetry runs, nothing can be sent: until then the live part is not loaded. */
function IdleOrLive(ends: PipelineEnds) {
  const { phase, reason } = useTelemetry();
  const isRunning = phase === "running";
  const [Live, setLive] = useState<ComponentType<PipelineEnds>>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    if (!isRunning) return;
    import("./LivePipelineMark.tsx").then(
      ({ LivePipelineMark }) => setLive(() => LivePipelineMark),
      () => setFailed(true),
    );
  }, [isRunning]);

  if (Live) return <Live {...ends} />;
  return (
    <MarkButton status={pipelineStatus({ phase, reason })}>
      <p>
        {hasFailed
          ? "Telemetry is running, but the live display did not load. Reload the page to see it."
          : "Telemetry starts when the page has loaded and is idle. The page works without it."}
      </p>
    </MarkButton>
  );
}

/** @param props.children what the mark opens */
export function MarkButton({ status, children }: { status: PipelineStatus; children: ReactNode }) {
  const { kind, sentence } = status;
  const isQuiet = kind === "flows" || kind === "ended";
  return (
    <div data-sentry-block="">
      <button
        type="button"
        className={`pipeline-mark beside bare small ${isQuiet ? "quiet" : kind}`}
        popoverTarget="pipeline"
        title="What this page has sent, and what became of it"
      >
        {isQuiet ? <Mark /> : <OutcomeMark kind={kind} />}
        <span>
          <span className="vh">Pipeline.</span> {sentence}
        </span>
      </button>
      <div id="pipeline" popover="auto" className="pipeline-counts">{children}</div>
    </div>
  );
}
