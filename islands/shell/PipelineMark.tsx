import { useTelemetry } from "../data/telemetry.ts";
import { ErrorBoundary } from "../kit/ErrorBoundary.tsx";
import { LoadedPart } from "../kit/LoadedPart.tsx";
import type { PipelineEnds } from "../pipeline/PipelineCounts.tsx";

/** The pipeline in the sidebar, once telemetry runs or has failed. Before, nothing can be sent. */
export function PipelineMark(ends: PipelineEnds) {
  const { phase } = useTelemetry();
  return (
    <ErrorBoundary what="The pipeline">
      <LoadedPart
        load={async () => (await import("./LivePipelineMark.tsx")).LivePipelineMark}
        isShown={phase === "running" || phase === "failed"}
        props={ends}
        loading={null}
      />
    </ErrorBoundary>
  );
}
