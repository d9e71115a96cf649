import type { Handlers } from "../server/mod.ts";
import type { State } from "./_state.ts";

/** Takes what SDKs send for `SENTRY_SPOTLIGHT` and their option `spotlight`. Not in relay mode. */
export const handlers: Handlers<Pick<State, "relay">> = {
  POST: ({ req, peer, state }) => state.relay.answer(req, peer),
  OPTIONS: ({ req, peer, state }) => state.relay.preflight(req, peer),
};
