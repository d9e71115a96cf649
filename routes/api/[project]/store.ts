import type { Handlers } from "../../../server/mod.ts";
import type { State } from "../../_state.ts";

/** Where old SDKs post single events as JSON: refused with what to do instead. */
export const handlers: Handlers<Pick<State, "relay">> = {
  POST: ({ req, state }) => state.relay.refuseEvent(req),
};
