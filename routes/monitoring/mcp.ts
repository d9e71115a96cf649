import { everyMethod } from "../_every_method.ts";
import type { State } from "../_state.ts";

/** The inbox for assistants. The endpoint answers 404 in relay mode. */
export const handlers = everyMethod<State>(({ req, peer, state }) => state.mcp.handle(req, peer));
