import "../shared/background_code.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { SourceState } from "../data/source.ts";
import { SettledText } from "../shared/SettledText.tsx";
import type { Arrival } from "./arrival.ts";
import { ConnectGuide } from "./ConnectGuide.tsx";
import { RefusedEnvelopes, useRefusals } from "./RefusedEnvelopes.tsx";
import { useArrival } from "./use_arrival.ts";
import { INBOX_STATES } from "./inbox_states.ts";
import { useSourceState } from "../data/queries.ts";

/** How an application sends to this server, the newest envelope of one, and what was refused. Inbox mode only. */
export default function Connect() {
  const { state } = useSourceState();
  const { arrival, error, retry } = useArrival("connect");
  const refusals = useRefusals();
  return (
    <div className="connect-guide">
      {arrival === undefined && state === "live" && error !== undefined
        ? <ReadFailure message={error} retry={retry} />
        : <ArrivalLine arrival={arrival} state={state} />}
      <RefusedEnvelopes refusals={refusals} />
      <ConnectGuide />
    </div>
  );
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
