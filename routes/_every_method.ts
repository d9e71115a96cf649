import { type Handler, type Handlers, METHODS } from "../server/mod.ts";

/** Passes the requests of every method to an endpoint, which itself refuses those that it does not support. */
export function everyMethod<State>(handle: Handler<State>): Handlers<State> {
  return Object.fromEntries(METHODS.map((method) => [method, handle]));
}
