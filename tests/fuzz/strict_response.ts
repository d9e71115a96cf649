import assert from "node:assert/strict";

const HOUR_S = 3_600;

/** Every header that may reach the client, with all values that it may have. */
const ALLOWED_HEADERS: Readonly<Record<string, RegExp>> = {
  "content-type": /^(application\/json|text\/plain;charset=utf-8)$/,
  "content-length": /^\d{1,5}$/,
  "x-relay-outcome": /^(delivered|rejected|rate_limited)$/,
  "x-sentry-error": /^[\x20-\x7e\xa0-\xff]{1,512}$/,
  "x-sentry-rate-limits":
    /^\d{1,4}:[\w;]*(:[\w.;-]{0,64}){0,3}(, \d{1,4}:[\w;]*(:[\w.;-]{0,64}){0,3})*$/,
  "retry-after": /^([1-9]\d{0,2}|[12]\d{3}|3[0-5]\d{2}|3600)$/,
  "vary": /^[\x20-\x7e]*$/,
  "date": /^[\x20-\x7e]*$/,
  "connection": /^close$/,
};
/** Two headers of at most 2,000 and 512 characters, and a few short ones. */
const MAX_HEAD_BYTES = 3_000;
const MAX_BODY_BYTES = 64 * 1024;

/** A response of the relay, as it reached the client. */
export interface ClientResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Parses a response without the leniency of `fetch`.
 *
 * @throws {Error} a header, length or value that may not reach the client
 */
export function parseStrictly(bytes: Uint8Array): ClientResponse {
  assert.ok(bytes.length > 0, "no response");
  const text = String.fromCharCode(...bytes.subarray(0, 2 * MAX_HEAD_BYTES));
  const end = text.indexOf("\r\n\r\n");
  assert.ok(end >= 0 && end <= MAX_HEAD_BYTES, `a head of ${end} bytes`);
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})( [\x20-\x7e]*)?$/.exec(statusLine)?.[1]);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name = "", value = ""] = /^([a-zA-Z-]+): ?(.*)$/.exec(line) ?? [];
    const allowed = ALLOWED_HEADERS[name.toLowerCase()];
    assert.ok(allowed?.test(value), `${JSON.stringify(line)} may not reach the client`);
    assert.equal(headers[name.toLowerCase()], undefined, `${name} is repeated`);
    headers[name.toLowerCase()] = value;
  }
  for (const limit of (headers["x-sentry-rate-limits"] ?? "0:").split(", ")) {
    assert.ok(Number.parseInt(limit) <= HOUR_S, `a limit of more than an hour: ${limit}`);
  }
  const body = bytes.subarray(end + 4);
  assert.ok(body.length <= MAX_BODY_BYTES, `a body of ${body.length} bytes`);
  assert.equal(headers["content-length"] ?? "0", `${body.length}`, "a body of another length");
  return { status, headers, body };
}
