/** What a deployment decides about the security headers. */
export interface SecurityOptions {
  /**
   * The page is reached over https (directly or through a proxy): adds `Strict-Transport-Security`.
   */
  readonly https?: boolean;
  /** Origins, besides the page's own, that its scripts may connect to. */
  readonly connect?: readonly string[];
}

export type HeaderPair = [name: string, value: string];

/** What stands inline in a page, as CSP hash sources without quotes (`sha256-…`). */
export interface InlineHashes {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

/** Two years, what browsers' preload lists ask for. No subdomains: they may be somebody else's. */
const HSTS = "max-age=63072000";
/**
 * Features that no page of this kernel uses. Only names that browsers know: others are warned about
 * in the console.
 */
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
 * The policy of a page: itself, what stands inline by its hash, Trusted Types for all that could
 * become script.
 */
export function contentSecurityPolicy(inline: InlineHashes, connect: readonly string[]): string {
  for (const origin of connect) {
    if (!ORIGIN.test(origin)) {
      throw new TypeError(
        `${
          JSON.stringify(origin)
        } cannot stand in connect-src: an origin such as https://host:port can.`,
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
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types default",
  ].join("; ");
}

/** The policy of what is no page: nothing may load, run or frame it. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** An image opened by itself keeps the styles inside it. */
export const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** The headers that every answer bears, whatever it is. */
export function securityHeaders(options: SecurityOptions = {}): HeaderPair[] {
  const headers: HeaderPair[] = [
    ["X-Content-Type-Options", "nosniff"],
    // Not `no-referrer`: under it a same-origin POST outside CORS mode (a beacon) bears `Origin:
    // null`.
    ["Referrer-Policy", "same-origin"],
    ["Cross-Origin-Opener-Policy", "same-origin"],
  ];
  if (options.https) headers.push(["Strict-Transport-Security", HSTS]);
  return headers;
}

/** Refuses the browser's features that the page does not use. */
export function permissionsPolicy(): HeaderPair {
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

/** A header of a prepared answer has a value that cannot be written. */
export class HeaderValueError extends Error {
  override readonly name = "HeaderValueError";
  constructor(readonly header: string) {
    super(`Cannot send the header ${header}: its value contains a control character.`);
  }
}

/**
 * Checks the headers of an answer that is prepared once, at the start.
 *
 * @throws {HeaderValueError}
 */
export function checkHeaders(headers: readonly HeaderPair[]): void {
  for (const [name, value] of headers) if (!WRITABLE.test(value)) throw new HeaderValueError(name);
}

/** Appends a value to a header of a finished answer; leaves out a value that cannot be written. */
export function appendHeader(response: Response, name: string, value: string): void {
  if (WRITABLE.test(value)) response.headers.append(name, value);
}

/**
 * Finishes an answer: removes headers from any source whose values cannot be written, and adds
 * those that it lacks. Status and body stay, but for a 205, which becomes a 204. A response whose
 * headers cannot be changed (one that `fetch` gave) is copied, its body is not.
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

function finishHeaders(own: Headers, added: readonly HeaderPair[]): void {
  // A copy: deleting while iterating skips entries.
  for (const [name, value] of [...own]) if (!WRITABLE.test(value)) own.delete(name);
  for (const [name, value] of added) if (!own.has(name)) own.set(name, value);
}
