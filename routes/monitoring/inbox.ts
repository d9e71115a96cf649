import { everyMethod } from "../_every_method.ts";
import type { State } from "../_state.ts";

/** The inbox: reads, changes, live stream. The endpoint answers 404 in relay mode. */
export const handlers = everyMethod<State>(({ req, peer, state }) => state.inbox.handle(req, peer));
