import { type ComponentType, useEffect, useState } from "react";
import {
  PHASE_SUMMARY,
  phaseSentence,
  Pipeline,
  type PipelineEnds,
} from "../pipeline/Pipeline.tsx";
import { withBoundary } from "../shared/ErrorBoundary.tsx";
import { useTelemetry } from "../shared/telemetry.ts";
import { PipelineStrip } from "./PipelineStrip.tsx";

/** The pipeline in the sidebar: what telemetry sends from this browser through the relay to the ingest. */
export const Strip = withBoundary("The pipeline strip", IdleOrLive);

/** Before telemetry runs, nothing can be sent: until then the live part is not loaded. */
function IdleOrLive(ends: PipelineEnds) {
  const { phase, reason } = useTelemetry();
  const isRunning = phase === "running";
  const [Live, setLive] = useState<ComponentType<PipelineEnds>>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    if (!isRunning) return;
    import("./LivePipelineStrip.tsx").then(
      ({ LivePipelineStrip }) => setLive(() => LivePipelineStrip),
      () => setFailed(true),
    );
  }, [isRunning]);

  if (Live) return <Live {...ends} />;
  const status = hasFailed
    ? "Telemetry is running, but the live display did not load. Reload the page to see it."
    : phaseSentence({ phase, reason });
  return (
    <PipelineStrip route={ends.route} summary={PHASE_SUMMARY[phase]}>
      <Pipeline ends={ends} status={status} />
    </PipelineStrip>
  );
}
