import type { Handlers } from "../../server/mod.ts";
import { NO_OTLP } from "../_refused_posts.ts";
import type { State } from "../_state.ts";

/** Where OpenTelemetry's exporters post traces, and by aliases logs and metrics: refused with what to do instead. */
export const handlers: Handlers<Pick<State, "relay">> = {
  POST: ({ req, peer, state }) => state.relay.refuse(req, peer, NO_OTLP),
  OPTIONS: ({ req, peer, state }) => state.relay.preflight(req, peer),
};
