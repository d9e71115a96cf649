import { at, attributeAt, tidyText } from "../json.ts";
import { isAnnotation } from "./trace_root.ts";
import { MAX_NAME } from "./trace_span.ts";

/** The operations of a page's own span: its load, or a navigation in it. It is named for a route alone. */
export const PAGE_OPS = ["pageload", "navigation"] as const;

export type PageOp = (typeof PAGE_OPS)[number];

const ROUTE_TITLES: Readonly<Record<PageOp, string>> = {
  pageload: "Page load",
  navigation: "Navigation to",
};

export const isPageOp = (op: string | null): op is PageOp => PAGE_OPS.some((one) => one === op);

/**
 * The name of a trace or span for display: `Page load /cart`, `Navigation to /cart`, else the name itself.
 *
 * @param named.name null: none, shown as `(no name)`
 * @param named.op operation of the span that it is the name of; null: none
 */
export function displayName({ name, op }: {
  readonly name: string | null;
  readonly op: string | null;
}): string {
  if (name === null) return "(no name)";
  if (!isPageOp(op)) return name;
  const title = ROUTE_TITLES[op];
  // Version 11 of Sentry's browser SDK names the span "Pageload" if the page has no route.
  return isPlaceholder(name, op) ? title : `${title} ${name}`;
}

/** Methods of HTTP are upper case; the longest registered one has 17 letters. */
const METHOD = /^[A-Z]{3,17}$/;
const METHOD_FIRST = /^(?:([A-Z]{3,17})(?: |$))?(.*)$/s;

/** Operations that are named for a page or for an address. */
const SERVED = /^(pageload|navigation|http\.server)$/;
const REQUESTED = /^(http\.client|resource(\..+)?)$/;

/** Where the address is, in current and earlier conventions. https://opentelemetry.io/docs/specs/semconv/http/ */
const ADDRESS_KEYS = ["url.full", "http.url", "url", "http.target"] as const;

/** Where the statement of a query is, in current and earlier conventions. https://opentelemetry.io/docs/specs/semconv/database/ */
const STATEMENT_KEYS = ["db.query.text", "db.statement"] as const;

/** Characters of a route or an address in a name. */
const MAX_TARGET = 200;

/**
 * The name of a span for every view. A page or a request is named for its route, else its path: version 11 of Sentry's
 * SDKs sends "Pageload", "GET" or "GET 127.0.0.1" and has the address in attributes. Names have neither query nor
 * fragment of an address, so that loads of one page have one name. A query is named by its statement: version 11 sends a
 * summary, "select products".
 *
 * @param sent name, else the operation
 * @param attributes as sent
 * @param request `request` of the transaction
 */
export function spanName(
  sent: string,
  op: string | null,
  attributes: unknown,
  request?: unknown,
): string {
  const attribute = (key: string) => textOf(attributeAt(attributes, key));
  const statement = STATEMENT_KEYS.map(attribute).find((text) => text !== undefined);
  if (statement !== undefined && /^db\b/.test(op ?? "")) return tidyText(statement, MAX_NAME)!;
  const methodSent = requestMethod(attributes, request);
  if (op === null || !(SERVED.test(op) || isSentRequest(op))) {
    // A function without a name; the request has its own, unless it is all that was made of it.
    const isMiddleware = op?.startsWith("middleware") && request === undefined;
    const named = NAMELESS.has(sent) && !(isMiddleware && sent === "<anonymous>")
      ? pageOf(attributes) ?? parseAddress(textOf(at(request, "url")))?.pathname ?? op ?? sent
      : sent;
    // Frameworks name a handler for its route alone, such as `/cart` or `*`.
    return /^[/*]/.test(named) ? [methodSent, named].filter(Boolean).join(" ") : named;
  }
  const address = parseAddress(
    ADDRESS_KEYS.map(attribute).find((text) => text !== undefined) ?? textOf(at(request, "url")),
  );
  const [, sentMethod, target = ""] = (op.startsWith("http.") && METHOD_FIRST.exec(sent)) ||
    [sent, undefined, sent];
  const hosts = [address?.host, address?.hostname, ...HOST_KEYS.map(attribute)];
  const isConstant = isPlaceholder(target, op) || hosts.includes(target);
  const method = sentMethod ??
    (op === "http.server" || (op === "http.client" && isConstant) ? methodSent : undefined);
  const route = SERVED.test(op)
    ? attribute("http.route") ?? attribute("url.path") ?? address?.pathname
    : address &&
      (attributeAt(attributes, "http.request.same_origin") === true
        ? address.pathname
        : address.host + address.pathname);
  const shown = isConstant
    ? tidyText(route, MAX_TARGET) || target
    : shortAddress(target, SERVED.test(op));
  return [method, shown].filter(Boolean).join(" ");
}

/** Whether a span is a request that its sender made. */
export const isSentRequest = (op: string | null): boolean => op !== null && REQUESTED.test(op);

/**
 * Whether a span answered a CORS preflight (https://fetch.spec.whatwg.org/#cors-preflight-request). Browsers send no
 * trace headers with it, so that each is a trace of its own. By the method that was sent: SDKs leave it out of names, and
 * some make no `http.server` span of a preflight, only those of its framework.
 *
 * @param of the first span of the server, with its method (`requestMethod`)
 */
export function isPreflight({ op, name, method }: {
  readonly op: string | null;
  readonly name: string;
  readonly method: string | undefined;
}): boolean {
  if (method !== undefined) return method === "OPTIONS" && !isSentRequest(op);
  return op === "http.server" && /^OPTIONS( |$)/.test(name);
}

/** Whether a page loaded a file: `resource.script`, `resource.css`, `resource.img`; not for a request of its code. */
export const isStaticResource = (op: string | null): boolean =>
  /^resource(?!\.(fetch|xhr|beacon)$)\b/.test(op ?? "");

/**
 * The method of the request that a span made or answered, by its attributes in current and earlier conventions, else by
 * the transaction's event; undefined: not sent, or not valid.
 *
 * @param request `request` of the transaction
 */
export function requestMethod(attributes: unknown, request?: unknown): string | undefined {
  return [...METHOD_KEYS.map((key) => attributeAt(attributes, key)), at(request, "method")]
    .find(isMethod);
}

const HOST_KEYS = ["url.domain", "server.address"] as const;
const METHOD_KEYS = ["http.request.method", "http.method"] as const;

/** Names that SDKs send instead of none. */
const NAMELESS: ReadonlySet<string> = new Set([
  "<unknown>",
  "< unknown >",
  "<anonymous>",
  "unknown",
  "request",
]);

/** Attributes with the page or route of a span that has another name. */
const PAGE_KEYS = ["http.route", "url.path", "transaction", "sentry.segment.name"] as const;

function pageOf(attributes: unknown): string | undefined {
  const page = PAGE_KEYS.map((key) => textOf(attributeAt(attributes, key)))
    .find((text) => text !== undefined && !PAGE_OPS.some((op) => isPlaceholder(text, op)));
  return tidyText(page, MAX_TARGET);
}

/** The name of a trace by its best span. The name of an annotation is a CSS selector: its page is used instead. */
export function traceName(
  { name, op, attributes }: {
    readonly name: string;
    readonly op: string | null;
    readonly attributes: unknown;
  },
): string {
  return isAnnotation(op) ? pageOf(attributes) ?? op ?? name : name;
}

/** A name that all pages or requests share. */
export function isPlaceholder(name: string, op: string | null): boolean {
  return name === "" || name.toLowerCase() === op || NAMELESS.has(name);
}

/** Without scheme, query and fragment; `/cart` of `/cart?id=7`. Other texts stay. */
function shortAddress(target: string, isServed: boolean): string {
  if (target.startsWith("/")) return target.replace(/\?.*$/s, "");
  const address = target.includes("://") ? parseAddress(target) : undefined;
  if (address === undefined) return target;
  return tidyText(isServed ? address.pathname : address.host + address.pathname, MAX_TARGET) ||
    target;
}

/** @param text without scheme and host: `host` is empty; other schemes, such as `data:`, name nothing */
function parseAddress(text: string | undefined) {
  const isPath = text?.startsWith("/") === true;
  const url = text === undefined
    ? null
    : URL.parse(text, isPath ? "http://path.invalid" : undefined);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const { pathname } = url;
  const [host, hostname] = isPath ? ["", ""] : [url.host, url.hostname];
  return { host, hostname, pathname };
}

const textOf = (value: unknown) => typeof value === "string" && value !== "" ? value : undefined;

const isMethod = (value: unknown): value is string =>
  typeof value === "string" && METHOD.test(value);

/** Host and port that a page or a server of a trace was reached at; undefined: not such a span, or not known. */
export function servedHost(
  { op, attributes }: { readonly op: string | null; readonly attributes: unknown },
): string | undefined {
  if (op === null || !SERVED.test(op)) return undefined;
  return parseAddress(textOf(attributeAt(attributes, "url.full")))?.host;
}

/** The name of a request without the host of the application itself: `GET /cart` of `GET 127.0.0.1:8080/cart`. */
export function withoutOwnHost(
  { name, op }: { readonly name: string; readonly op: string | null },
  hosts: ReadonlySet<string>,
): string {
  if (!isSentRequest(op)) return name;
  const [, method, target = ""] = METHOD_FIRST.exec(name)!;
  const slash = target.indexOf("/");
  if (slash < 1 || !hosts.has(target.slice(0, slash))) return name;
  return [method, target.slice(slash)].filter(Boolean).join(" ");
}
