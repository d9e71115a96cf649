import "../background_code.ts";
import { useEffect, useState } from "react";
import { pipelineStatus } from "../pipeline/pipeline_status.ts";
import { PipelineCounts, type PipelineEnds, usePipeline } from "../pipeline/PipelineCounts.tsx";
import { SettledText } from "../kit/SettledText.tsx";
import { MarkButton } from "./MarkButton.tsx";

/** Most envelopes are delivered sooner: waiting for so long, in milliseconds, is shown. */
const LONG_MS = 2_000;

/** The mark while telemetry runs. */
export function LivePipelineMark(ends: PipelineEnds) {
  const now = usePipeline(ends);
  const isWaiting = now.waiting > 0;
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(isWaiting), isWaiting ? LONG_MS : 0);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  const status = pipelineStatus({ ...now, waiting: isLong ? now.waiting : 0 });
  const { lastProblem } = now.counts;
  return (
    <>
      <MarkButton status={status}>
        <PipelineCounts ends={ends} now={now} />
      </MarkButton>
      <SettledText
        text={status.sentence + (lastProblem ? ` Last problem: ${lastProblem.reason}` : "")}
      />
    </>
  );
}
