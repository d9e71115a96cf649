import type { Handlers } from "../../server/mod.ts";
import type { State } from "../_state.ts";

/** Counts and gauges for Prometheus. */
export const handlers: Handlers<Pick<State, "relay">> = {
  GET: ({ state }) => state.relay.metrics(),
};
