import "../shared/background_code.ts";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { SourceState } from "../shared/source/source.ts";
import { withBoundary } from "../shared/ErrorBoundary.tsx";
import { useIsVisible } from "../shared/fragment.ts";
import { SettledText } from "../shared/SettledText.tsx";
import { storeChoice, storedChoice } from "../shared/stored_choice.ts";
import { useMounted } from "../shared/telemetry.ts";
import { useSource, useSourceState } from "../shared/use_source.ts";
import type { Arrival } from "./arrival.ts";
import { ConnectGuide } from "./ConnectGuide.tsx";
import { RefusedEnvelopes, useRefusals } from "./RefusedEnvelopes.tsx";
import { useArrival } from "./use_arrival.ts";
import { INBOX_STATES } from "./inbox_states.ts";

/** In `localStorage`: `folded` if an application had sent something when the guide was shown last. */
export const GUIDE_KEY = "sightglass-guide";

/**
 * The guide to connect an application, and the newest envelope of one. The guide is folded once an application has sent
 * something. Inbox mode only.
 */
export default withBoundary("The guide to connect an application", ConnectSection);

function ConnectSection() {
  const isMounted = useMounted();
  const source = useSource("inbox");
  const { state } = useSourceState(source);
  const { arrival, error, retry } = useArrival(source);
  const refusals = useRefusals(source);
  const [isOpen, toggle] = useOpen(arrival);
  // Until then the style sheet decides.
  const shown = isMounted ? isOpen ? "open" : "folded" : "";

  return (
    <>
      <header>
        <h2 id="connect">
          <button
            type="button"
            className="disclosure"
            disabled={!isMounted}
            aria-expanded={isOpen}
            aria-controls="connect-guide"
            onClick={toggle}
          >
            Connect your application
          </button>
        </h2>
        {arrival === undefined && state === "live" && error !== undefined
          ? <ReadFailure message={error} retry={retry} />
          : <ArrivalLine arrival={arrival} state={state} />}
        {!isOpen && refusals.length > 0 && (
          <p>
            <button type="button" className="link refused" onClick={toggle}>
              <OutcomeMark kind="refused" />
              {refusals.length} refused: show why
            </button>
          </p>
        )}
      </header>
      <div id="connect-guide" className={`guide ${shown}`}>
        <RefusedEnvelopes refusals={refusals} />
        <ConnectGuide />
      </div>
    </>
  );
}

/**
 * Whether the guide is open, and the function that opens or closes it. Decided when the view is opened, so that the
 * guide does not close while the user reads it.
 */
function useOpen(arrival: Arrival | null | undefined): [isOpen: boolean, toggle: () => void] {
  const isVisible = useIsVisible("overview");
  const isKnown = arrival !== undefined;
  const [isNeeded, setNeeded] = useState(true);
  const [chosen, setChosen] = useState<boolean>();
  const isDecided = useRef(false);
  useEffect(() => {
    if (!isVisible) isDecided.current = false;
    else if (isKnown && !isDecided.current) {
      isDecided.current = true;
      setNeeded(arrival === null);
      storeChoice(GUIDE_KEY, arrival === null ? undefined : "folded");
    }
  }, [isVisible, isKnown]);
  // After hydration, for which the HTML must be the prerendered one.
  useLayoutEffect(() => setNeeded(storedChoice(GUIDE_KEY) === undefined), []);
  const isOpen = chosen ?? isNeeded;
  return [isOpen, () => setChosen(!isOpen)];
}

/** Whether an envelope of another application has arrived. */
function ArrivalLine({ arrival, state }: {
  arrival: Arrival | null | undefined;
  state: SourceState["state"];
}) {
  if (arrival) {
    const { what, sender, at, href } = arrival;
    return (
      <p className="arrival">
        <OutcomeMark kind="flows" />
        Received: <a href={href}>{what} from {sender}</a>, <TimeAgo at={at} />
        <SettledText text={`Received from ${sender}.`} />
      </p>
    );
  }
  const isWaiting = state === "live" && arrival === null;
  return (
    <p className="arrival" role="status">
      {isWaiting && <OutcomeMark kind="waits" />}
      {isWaiting ? "No application has sent anything yet." : INBOX_STATES[state]}
    </p>
  );
}
