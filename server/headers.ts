/** The headers that the framework adds, and the ones that it refuses to send. */
import type { HandlerResult } from "./endpoint.ts";
import type { ManifestPage } from "./manifest.ts";

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

type InlineHashes = Pick<ManifestPage, "scripts" | "styles">;

/** Two years, as browsers' preload lists require. Subdomains may belong to others. */
const HSTS = "max-age=63072000";
/** Turns off unused browser features. Browsers print warnings for unknown names. */
const PERMISSIONS = [
  ..."accelerometer camera display-capture geolocation gyroscope".split(" "),
  ..."magnetometer microphone midi payment usb".split(" "),
].map((feature) => `${feature}=()`).join(", ");
/** Browsers also report deprecations, interventions and crashes to the endpoint of this name. */
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

export function pageHeaders(inline: InlineHashes, options: SecurityOptions): HeaderMap {
  const { https, reports } = options;
  return {
    ...commonHeaders(options, pagePolicy(inline, options)),
    "permissions-policy": PERMISSIONS,
    ...https && reports && { "reporting-endpoints": `${REPORT_ENDPOINT}="${reports}"` },
  };
}

function pagePolicy(inline: InlineHashes, { connect = [], reports, https }: SecurityOptions) {
  const quote = (hashes: readonly string[]) => hashes.map((hash) => `'${hash}'`);
  return [
    "default-src 'none'",
    ["script-src 'self'", ...quote(inline.scripts)].join(" "),
    ["style-src 'self'", ...quote(inline.styles)].join(" "),
    ["connect-src 'self'", ...connect].join(" "),
    ...["img", "font", "worker", "frame"].map((kind) => `${kind}-src 'self'`),
    ...["base-uri", "form-action", "frame-ancestors"].map((kind) => `${kind} 'none'`),
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

export function appendHeader(response: Response, name: string, value: string): void {
  if (WRITABLE.test(value)) response.headers.append(name, value);
}

/**
 * Removes headers with invalid values, and adds those of `common`, by name in lower case, that a result lacks. A
 * response with immutable headers, as those from `fetch` are, is not possible.
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
