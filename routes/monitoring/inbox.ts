import type { Handler, Handlers } from "../../server/mod.ts";
import type { State } from "../_state.ts";

const handle: Handler<State> = ({ req, peer, state }) => state.inbox.handle(req, peer);

/**
 * The inbox: its rows, live or as a list, one envelope's bytes, emptying it. It judges the methods
 * itself: in relay mode there is nothing here, whatever the method.
 */
export const handlers: Handlers<State> = {
  GET: handle,
  HEAD: handle,
  POST: handle,
  PUT: handle,
  PATCH: handle,
  DELETE: handle,
  OPTIONS: handle,
};
