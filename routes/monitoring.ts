import type { Handlers } from "../server/mod.ts";
import type { State } from "./_state.ts";

/** The relay's HTTP edge. */
export const handlers: Handlers<Pick<State, "relay">> = {
  GET: ({ state }) => state.relay.health(),
  POST: ({ req, peer, state }) => state.relay.answer(req, peer),
  OPTIONS: ({ req, peer, state }) => state.relay.preflight(req, peer),
};
