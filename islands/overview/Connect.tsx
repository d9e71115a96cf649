import "../background_code.ts";
import { ConnectGuide } from "./ConnectGuide.tsx";
import { RefusedEnvelopes } from "./RefusedEnvelopes.tsx";

/** How an application sends to this server, what has arrived, and what was refused. Inbox mode only. */
export default function Connect() {
  return (
    <ConnectGuide>
      <RefusedEnvelopes />
    </ConnectGuide>
  );
}
