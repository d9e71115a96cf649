import "../shared/background_code.ts";
import { useEffect, useState } from "react";
import { formatCount } from "../../components/format.ts";
import { LivePipeline, usePipeline } from "../pipeline/LivePipeline.tsx";
import {
  acceptedWord,
  PHASE_SUMMARY,
  type PipelineCounts,
  type PipelineEnds,
} from "../pipeline/Pipeline.tsx";
import { statusSentence } from "../pipeline/status_sentence.ts";
import { SettledText } from "../shared/SettledText.tsx";
import { PipelineStrip } from "./PipelineStrip.tsx";
import { Tube } from "./Tube.tsx";

/** Most envelopes are delivered sooner: waiting for so long, in milliseconds, is shown. */
const LONG_MS = 2_000;

/** The strip while telemetry runs. */
export function LivePipelineStrip(ends: PipelineEnds) {
  const now = usePipeline(ends);
  const { flow, waiting, waitingSince, phase, reason, counts } = now;
  const isWaiting = waiting > 0;
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(isWaiting), isWaiting ? LONG_MS : 0);
    return () => clearTimeout(timer);
  }, [isWaiting]);
  const [newest] = flow.refusals;
  const wasAnythingSent = Object.values(counts).some((count) => count > 0);
  return (
    <PipelineStrip
      route={ends.route}
      counts={{ ...counts, waiting: isLong ? waiting : 0 }}
      summary={phase === "running" && flow.accepted > 0
        ? "This page: all delivered"
        : PHASE_SUMMARY[phase]}
      tube={<Tube fresh={flow.fresh} waiting={waiting} />}
      announcement={
        <SettledText
          text={wasAnythingSent
            ? `${countsText(ends, counts)}. ${newest ? `Last refused: ${newest.reason}. ` : ""}` +
              // Without the age of what is spooled: it changes all the time and would be read aloud each time.
              statusSentence({ flow, waiting, waitingSince, phase, reason })
            : ""}
        />
      }
    >
      <LivePipeline ends={ends} now={now} />
    </PipelineStrip>
  );
}

/** The counts as one sentence for screen readers. */
function countsText(ends: PipelineEnds, counts: PipelineCounts): string {
  const { waiting, spooled, refused, accepted } = counts;
  return `This page: ${formatCount(accepted, "envelope")} ${acceptedWord(ends)}, ` +
    `${waiting} waiting, ${spooled > 0 ? `${spooled} spooled, ` : ""}${refused} refused`;
}
