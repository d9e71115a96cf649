import type { Answer, Endpoint } from "./endpoint.ts";
import { appendHeader } from "./headers.ts";

/** A place of the server whose answers may be worth watching. Assets and static files are none. */
export interface Place {
  /** The route's path, with its `[name]` segments; of an alias, the route that it stands for. */
  readonly path: string;
  /** `page data`: what a navigation in the browser fetches of the page at the same path. */
  readonly kind: "page" | "page data" | "handler";
}

/**
 * Stands around one answer: calls `answer` exactly once and gives what it gave, to which it may add
 * headers by `append`. What `answer` throws, or its promise rejects with, must be passed on.
 */
export type Observer = (
  request: Request,
  answer: () => Answer,
  append: (response: Response, name: string, value: string) => void,
) => Answer;

/** Says who stands around a place's answers; undefined: nobody, at no cost to its requests. */
export type Observe = (place: Place) => Observer | undefined;

/** The endpoint with its observer around it. */
export function observed<State>(
  endpoint: Endpoint<State>,
  observer: Observer | undefined,
): Endpoint<State> {
  if (observer === undefined) return endpoint;
  return (request, context) => observer(request, () => endpoint(request, context), appendHeader);
}
