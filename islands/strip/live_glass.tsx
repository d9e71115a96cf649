import { flowSentence } from "./flow_sentence.ts";
import { formatClock } from "../../components/format_time.ts";
import { Glass, type GlassPlace, readingsInWords } from "./Glass.tsx";
import { AllSenders, Refusals } from "./Refusals.tsx";
import { useFlow } from "../shared/use_flow.ts";
import { SettledText } from "../shared/SettledText.tsx";
import { useHealth } from "./health.ts";
import { useTelemetry } from "../shared/telemetry.ts";
import { Tube } from "./tube.tsx";

/** The glass once telemetry runs: what has passed since the page was opened, and what waits now. */
export function LiveGlass(place: GlassPlace) {
  const { waiting, phase, reason, storageProblem, compressionProblem } = useTelemetry();
  const { flow, waitingSince } = useFlow();
  const health = useHealth(place.route);
  const spool = health?.spool;

  const { accepted, refused } = flow;
  // Waiting is a state, not a count: what the spool has passed on waits no longer.
  const spooled = spool?.pending ?? (flow.spoolingSince === undefined ? 0 : flow.spooled);
  const counts = { waiting, spooled, refused, accepted };
  const state = { flow, waiting, waitingSince, phase, reason };
  const [newest] = flow.refusals;
  const hasNews = accepted + refused + spooled + waiting > 0;
  return (
    <Glass
      place={place}
      counts={counts}
      inside={<Tube fresh={flow.fresh} waiting={waiting} />}
      reading={
        <>
          <span>This page: {flowSentence({ ...state, spool })}</span>
          {storageProblem && <span className="waits">Envelopes are kept {storageProblem}.</span>}
          {compressionProblem && <span className="waits">Recordings are {compressionProblem}.
          </span>}
          <small>Counted since the page was opened, {formatClock(performance.timeOrigin)}.</small>
        </>
      }
      senders={health?.totals && <AllSenders place={place} totals={health.totals} at={health.at} />}
    >
      <Refusals refusals={flow.refusals} />
      <SettledText
        text={hasNews
          ? `${readingsInWords(place, counts)}. ${newest ? `Last refused: ${newest.why}. ` : ""}` +
            // Without the age of what waits, which would be news with each look at it.
            flowSentence(state)
          : ""}
      />
    </Glass>
  );
}
