import "../background_code.ts";
import { Arrivals } from "./Arrivals.tsx";
import { ConnectGuide } from "./ConnectGuide.tsx";
import { RefusedEnvelopes, useRefusals } from "./RefusedEnvelopes.tsx";

/** How an application sends to this server, what has arrived, and what was refused. Inbox mode only. */
export default function Connect() {
  const refusals = useRefusals();
  return (
    <div className="connect-guide grid">
      <div className="grid">
        <RefusedEnvelopes refusals={refusals} />
        <ConnectGuide />
      </div>
      <Arrivals />
    </div>
  );
}
