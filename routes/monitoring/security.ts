import type { Handlers } from "../../server/mod.ts";
import type { State } from "../_state.ts";

/** What browsers report by themselves: violations of the page's policy, deprecations, interventions, crashes. */
export const handlers: Handlers<Pick<State, "relay" | "security">> = {
  POST: ({ req, peer, state }) => state.security.receive(req, peer),
  OPTIONS: ({ req, peer, state }) => state.relay.preflight(req, peer),
};
