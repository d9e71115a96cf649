import "../background_code.ts";
import { useEffect, useState } from "react";
import { Mark } from "../../components/Icon.tsx";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { pipelineStatus } from "../pipeline/pipeline_status.ts";
import { PipelineCounts, type PipelineEnds, usePipeline } from "../pipeline/PipelineCounts.tsx";
import { SettledText } from "../kit/SettledText.tsx";

/** Most envelopes are delivered sooner: waiting for so long, in milliseconds, is shown. */
const LONG_MS = 2_000;

/** A mark and a sentence, which open the counts by state. */
export function LivePipelineMark(ends: PipelineEnds) {
  const now = usePipeline(ends);
  const isWaiting = now.waiting > 0;
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(isWaiting), isWaiting ? LONG_MS : 0);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  const { kind, sentence } = pipelineStatus({ ...now, waiting: isLong ? now.waiting : 0 });
  const isQuiet = kind === "flows" || kind === "ended";
  const { lastProblem } = now.counts;
  return (
    <div data-sentry-block="">
      <button
        type="button"
        className={`pipeline-mark beside bare small ${isQuiet ? "quiet" : kind}`}
        popoverTarget="pipeline"
      >
        {isQuiet ? <Mark /> : <OutcomeMark kind={kind} />}
        <span>
          <span className="vh">Pipeline.</span> {sentence}
        </span>
      </button>
      <div id="pipeline" popover="auto" className="pipeline-counts">
        <PipelineCounts ends={ends} now={now} />
      </div>
      <SettledText text={sentence + (lastProblem ? ` Last problem: ${lastProblem.reason}` : "")} />
    </div>
  );
}
