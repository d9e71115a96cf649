/** The headers that the framework adds, and the ones that it refuses to send. */
import type { HandlerResult } from "./endpoint.ts";
import type { ManifestPage } from "./manifest.ts";

/** Values by name. */
export type HeaderMap = Readonly<Record<string, string>>;

/** Settings of a deployment. Their values are validated by the caller. */
export interface SecurityOptions {
  /** Browsers reach the page over https: adds `Strict-Transport-Security`. */
  readonly https?: boolean;
  /** Further origins that the page's scripts may connect to. */
  readonly connect?: readonly string[];
  /** Path that browsers post reports to: violations of the policy and, over https, what they report by themselves. */
  readonly reports?: string;
}

/** CSP hashes of what is inline in a page. */
type InlineHashes = Pick<ManifestPage, "scripts" | "styles">;

/** Two years, as browsers' preload lists require. Subdomains may belong to others. */
const HSTS = "max-age=63072000";
/** Turns off unused browser features. Browsers print warnings for unknown names. */
const PERMISSIONS = [
  ..."accelerometer camera display-capture geolocation gyroscope".split(" "),
  ..."magnetometer microphone midi payment usb".split(" "),
].map((feature) => `${feature}=()`).join(", ");
/** The endpoint that browsers also report deprecations, interventions and crashes to. */
const REPORT_ENDPOINT = "default";

/** The policy of data: it loads and runs nothing, and cannot be framed. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** The policy of static files: an SVG opened as a document keeps its styles. */
export const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** The headers of every response. Names are in lower case, so that a handler's own replace them. */
export function commonHeaders({ https }: SecurityOptions, policy?: string): HeaderMap {
  return {
    "x-content-type-options": "nosniff",
    // With `no-referrer` a same-origin beacon would have the header `Origin: null`.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    ...https && { "strict-transport-security": HSTS },
    ...policy && { "content-security-policy": policy },
  };
}

/** The headers of a page: its policy, and where browsers send reports. */
export function pageHeaders(inline: InlineHashes, options: SecurityOptions): HeaderMap {
  const { https, reports } = options;
  return {
    ...commonHeaders(options, pagePolicy(inline, options)),
    "permissions-policy": PERMISSIONS,
    ...https && reports && { "reporting-endpoints": `${REPORT_ENDPOINT}="${reports}"` },
  };
}

/** The policy of a page: its own origin, inline parts by their hashes, Trusted Types. */
function pagePolicy(inline: InlineHashes, { connect = [], reports, https }: SecurityOptions) {
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
    ...reports ? [`report-uri ${reports}`] : [],
    // Chromium then ignores `report-uri`, and over http also `Reporting-Endpoints`: it would report nothing.
    ...reports && https ? [`report-to ${REPORT_ENDPOINT}`] : [],
  ].join("; ");
}

/**
 * A field value as RFC 9110, section 5.5 allows it. `Headers` accepts more, and Deno 2.9.6 aborts the
 * process when it writes such a value ("invalid response header value").
 */
const WRITABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Appends a value to a header of a response, unless the value is invalid. */
export function appendHeader(response: Response, name: string, value: string): void {
  if (WRITABLE.test(value)) response.headers.append(name, value);
}

/**
 * Prepares a handler's result for sending: removes headers with invalid values, and adds those of
 * `common` that it lacks.
 *
 * @param result a response with immutable headers, as those from `fetch` are, is not possible
 * @param common by name in lower case
 */
export function toResponse(result: HandlerResult, common: HeaderMap = {}): Response {
  // Without `body`: the runtime makes a stream of that of a response, which is sent without its length.
  const { status, headers } = result;
  // Deno 2.9.6 writes a 205 without `Content-Length` and omits one that is set, so clients and proxies
  // wait for a body (RFC 9112, section 6.3). Sent as 204, whose end is its head.
  if (status === 205) return toResponse(new Response(null, { status: 204, headers }), common);
  if (headers instanceof Headers) {
    // A copy: deleting while iterating skips entries.
    for (const [name, value] of [...headers]) if (!WRITABLE.test(value)) headers.delete(name);
    for (const name in common) if (!headers.has(name)) headers.set(name, common[name]!);
    return result as Response;
  }
  const all = { ...common };
  for (const name in headers) if (WRITABLE.test(headers[name]!)) all[name] = headers[name]!;
  return new Response(status === 204 ? null : result.body, { status, headers: all });
}
