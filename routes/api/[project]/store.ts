import type { Handlers } from "../../../server/mod.ts";
import { NO_SINGLE_EVENTS } from "../../_refused_posts.ts";
import type { State } from "../../_state.ts";

/** Where old SDKs post single events as JSON: refused with what to do instead. */
export const handlers: Handlers<Pick<State, "relay">> = {
  POST: ({ req, peer, state }) => state.relay.refuse(req, peer, NO_SINGLE_EVENTS),
};
