import { at } from "../json.ts";

/**
 * What a trace is named for, best first: its page load; a span without a parent; the first span of a page or process,
 * with a parent in another; any other span; without spans an error, else a log.
 */
export const NAME_RANK = { pageload: 0, root: 1, segment: 2, span: 3, error: 4, log: 5 } as const;

export type NameRank = (typeof NAME_RANK)[keyof typeof NAME_RANK];

/** Operations whose spans are named for a route alone. */
const ROUTE_TITLES: ReadonlyMap<string | null, string> = new Map([
  ["pageload", "Page load"],
  ["navigation", "Navigation to"],
]);

/**
 * The name of a trace or span for display: `Page load /cart`, `Navigation to /cart`, else the name itself.
 *
 * @param named.op operation of the span that it is the name of; null: none
 */
export function displayName({ name, op }: {
  readonly name: string;
  readonly op: string | null;
}): string {
  const title = ROUTE_TITLES.get(op);
  if (title === undefined) return name;
  // Version 11 of Sentry's browser SDK names the span "Pageload" if the page has no route.
  return name.toLowerCase() === op ? title : `${title} ${name}`;
}

/** Methods of HTTP are upper case; the longest registered one has 17 letters. */
const METHOD = /^[A-Z]{3,17}$/;

/**
 * The name of a span. That of a request that a server answered begins with its method, which some SDKs send apart.
 *
 * @param span as sent, with `attributes` or `data`
 * @param request `request` of the transaction
 */
export function nameWithMethod(
  name: string,
  op: string | null,
  span: unknown,
  request?: unknown,
): string {
  if (op !== "http.server" || METHOD.test(name.split(" ", 1)[0]!)) return name;
  const attributes = at(span, "attributes") ?? at(span, "data");
  const method = ["http.request.method", "http.method"]
    .map((key) => at(attributes, key, "value") ?? at(attributes, key))
    .concat(at(request, "method"))
    .find((value) => typeof value === "string" && METHOD.test(value));
  return method === undefined ? name : `${method} ${name}`;
}
