import type { ResponseParts } from "./context.ts";

/** Settings of a deployment. */
export interface SecurityOptions {
  /** Browsers reach the page over https: adds `Strict-Transport-Security`. */
  readonly https?: boolean;
  /** Further origins that the page's scripts may connect to. */
  readonly connect?: readonly string[];
  /** Path that browsers post reports to: violations of the policy and, over https, what they report by themselves. */
  readonly reports?: string;
}

export type HeaderPair = [name: string, value: string];

/** CSP hash sources, without quotes (`sha256-…`), of what is inline in a page. */
interface InlineHashes {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

/** Two years, as browsers' preload lists require. Subdomains may belong to others. */
const HSTS = "max-age=63072000";
/** Unused browser features. Browsers print warnings for unknown names. */
const FEATURES = [
  "accelerometer",
  "camera",
  "display-capture",
  "geolocation",
  "gyroscope",
  "magnetometer",
  "microphone",
  "midi",
  "payment",
  "usb",
];
const ORIGIN =
  /^(?:https?|wss?):\/\/[a-z0-9._-]+(?::\d{1,5})?$|^https?:\/\/\[[0-9a-f:.]+\](?::\d{1,5})?$/;

/**
 * The policy of a page: its own origin, inline parts by their hashes, Trusted Types.
 *
 * @throws {TypeError} one of `connect` is not an origin
 */
export function contentSecurityPolicy(
  inline: InlineHashes,
  { connect = [], reports, https }: SecurityOptions,
): string {
  for (const origin of connect) {
    if (!ORIGIN.test(origin)) {
      throw new TypeError(
        `${
          JSON.stringify(origin)
        } is not allowed in connect-src: use an origin such as https://host:port.`,
      );
    }
  }
  const quote = (hashes: readonly string[]) => hashes.map((hash) => `'${hash}'`);
  return [
    "default-src 'none'",
    ["script-src 'self'", ...quote(inline.scripts)].join(" "),
    ["style-src 'self'", ...quote(inline.styles)].join(" "),
    ["connect-src 'self'", ...connect].join(" "),
    "img-src 'self'",
    "font-src 'self'",
    "worker-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types default",
    ...(reports === undefined ? [] : [`report-uri ${reports}`]),
    // Chromium then ignores `report-uri`, and over http also `Reporting-Endpoints`: it would report nothing.
    ...(reports === undefined || !https ? [] : [`report-to ${ENDPOINT}`]),
  ].join("; ");
}

/** The endpoint that browsers also report deprecations, interventions and crashes to. */
const ENDPOINT = "default";

/** The headers of a page: its policy, and where browsers send reports. */
export function pageHeaders(inline: InlineHashes, options: SecurityOptions): HeaderPair[] {
  const headers = [...securityHeaders(options), permissionsPolicy()];
  headers.push(["Content-Security-Policy", contentSecurityPolicy(inline, options)]);
  const { https, reports } = options;
  if (https && reports !== undefined) {
    headers.push(["Reporting-Endpoints", `${ENDPOINT}="${reports}"`]);
  }
  return headers;
}

/** The policy of other responses: they load and run nothing, and cannot be framed. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** The policy of static files: an SVG opened as a document keeps its styles. */
export const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** The headers of every response. */
export function securityHeaders(options: SecurityOptions): HeaderPair[] {
  const headers: HeaderPair[] = [
    ["X-Content-Type-Options", "nosniff"],
    // With `no-referrer` a same-origin beacon would have the header `Origin: null`.
    ["Referrer-Policy", "same-origin"],
    ["Cross-Origin-Opener-Policy", "same-origin"],
  ];
  if (options.https) headers.push(["Strict-Transport-Security", HSTS]);
  return headers;
}

/** Turns off browser features that no page uses. */
function permissionsPolicy(): HeaderPair {
  return ["Permissions-Policy", FEATURES.map((feature) => `${feature}=()`).join(", ")];
}

/**
 * A field value as RFC 9110, section 5.5 allows it. `Headers` accepts more, and Deno 2.9.6 aborts the
 * process when it writes such a value ("invalid response header value").
 */
const WRITABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Deno 2.9.6 writes a 205 without `Content-Length` and omits one that is set, so clients and proxies wait
 * for a body (RFC 9112, section 6.3). Sent as 204, whose end is its head.
 */
const UNFRAMED_STATUS = 205;

/** A header of a prepared response has an invalid value. */
export class HeaderValueError extends Error {
  override readonly name = "HeaderValueError";
  constructor(readonly header: string) {
    super(`Cannot send the header ${header}: its value contains a control character.`);
  }
}

/**
 * Checks the headers of a response that is prepared at the start.
 *
 * @throws {HeaderValueError}
 */
export function checkHeaders(headers: readonly HeaderPair[]): void {
  for (const [name, value] of headers) if (!WRITABLE.test(value)) throw new HeaderValueError(name);
}

/** Appends a value to a header of a response, unless the value is invalid. */
export function appendHeader(response: Response, name: string, value: string): void {
  if (WRITABLE.test(value)) response.headers.append(name, value);
}

/**
 * Prepares a response for sending: removes headers with invalid values, adds those of `headers` that
 * it lacks, and turns 205 into 204. Returns a new response with the same body if the headers are
 * immutable, as those from `fetch` are.
 */
export function withHeaders(response: Response, headers: readonly HeaderPair[]): Response {
  if (response.status === UNFRAMED_STATUS) {
    response = new Response(null, { status: 204, headers: response.headers });
  }
  try {
    finishHeaders(response.headers, headers);
    return response;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const copy = new Headers(response.headers);
    finishHeaders(copy, headers);
    const { status, statusText } = response;
    return new Response(response.body, { status, statusText, headers: copy });
  }
}

/**
 * Makes a response of its parts, with the same guarantees as {@linkcode withHeaders}.
 *
 * @param added by name in lower case
 */
export function makeResponse(
  { status, headers, body }: ResponseParts,
  added: Readonly<Record<string, string>>,
): Response {
  const all = { ...added };
  for (const [name, value] of Object.entries(headers)) {
    if (WRITABLE.test(value)) all[name] = value;
  }
  if (status === UNFRAMED_STATUS) status = 204;
  return new Response(status === 204 ? null : body, { status, headers: all });
}

function finishHeaders(own: Headers, added: readonly HeaderPair[]): void {
  // A copy: deleting while iterating skips entries.
  for (const [name, value] of [...own]) if (!WRITABLE.test(value)) own.delete(name);
  for (const [name, value] of added) if (!own.has(name)) own.set(name, value);
}
