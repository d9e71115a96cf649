import type { Handlers } from "../../../server/mod.ts";
import type { State } from "../../_state.ts";

/** Takes the envelopes of SDKs whose DSN has this server as its host. */
export const handlers: Handlers<Pick<State, "relay">> = {
  POST: ({ req, peer, params, state }) => state.relay.answer(req, peer, params.project),
  OPTIONS: ({ req, peer, state }) => state.relay.preflight(req, peer),
};
