import { type ComponentType, useEffect, useState } from "react";
import { pipelineStatus } from "../pipeline/pipeline_status.ts";
import type { PipelineEnds } from "../pipeline/PipelineCounts.tsx";
import { withBoundary } from "../kit/ErrorBoundary.tsx";
import { useTelemetry } from "../data/telemetry.ts";
import { MarkButton } from "./MarkButton.tsx";

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
