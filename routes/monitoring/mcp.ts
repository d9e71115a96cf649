import type { Handler, Handlers } from "../../server/mod.ts";
import type { State } from "../_state.ts";

const handle: Handler<State> = ({ req, peer, state }) => state.mcp.handle(req, peer);

/** Forwards every method: the endpoint answers 404 in relay mode, 405 for unsupported methods. */
export const handlers: Handlers<State> = {
  GET: handle,
  HEAD: handle,
  POST: handle,
  PUT: handle,
  PATCH: handle,
  DELETE: handle,
  OPTIONS: handle,
};
