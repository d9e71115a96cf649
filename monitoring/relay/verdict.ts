import type { EnvelopeHeader } from "../envelope/envelope.ts";
import { type Answer, takenAnswer } from "./answer.ts";
import { RelayError } from "./errors.ts";
import { limitHeaders } from "./limit_headers.ts";
import type { HttpAnswer } from "./http/response_reader.ts";

/** The ingest cannot say now whether it takes an envelope: another attempt may end otherwise. */
function isPassing(status: number): boolean {
  return status < 200 || (status >= 300 && status < 400) || status >= 500 || status === 408 ||
    status === 425;
}

/**
 * What the sender is told of the ingest's answer.
 *
 * @param now milliseconds since 1970
 * @throws {RelayError} `spool_unavailable` if the ingest has not decided, so that the sender keeps the envelope
 */
export function verdict(upstream: HttpAnswer, header: EnvelopeHeader, now: number): Answer {
  const { status } = upstream;
  if (isPassing(status)) {
    throw new RelayError(
      "spool_unavailable",
      `The ingest answered ${status} and nothing here keeps the envelope; send it again later.`,
    );
  }
  const headers: Record<string, string> = { "content-type": contentType(upstream.headers) };
  copy(upstream.headers, headers, "x-sentry-error", "x-sentry-rate-limits");
  if (status === 429) {
    Object.assign(headers, limitHeaders(upstream.headers, now));
    return { status, headers, body: upstream.body ?? "", outcome: "rate_limited" };
  }
  if (status >= 400) return { status, headers, body: upstream.body ?? "", outcome: "rejected" };
  if (upstream.body) return { status, headers, body: upstream.body, outcome: "delivered" };
  const taken = takenAnswer(header, "delivered");
  return { ...taken, status, headers: { ...headers, ...taken.headers } };
}

function copy(from: Headers, to: Record<string, string>, ...names: readonly string[]): void {
  for (const name of names) {
    const value = from.get(name);
    if (value !== null) to[name] = value;
  }
}

/** JSON or plain text: what another host calls a page or a script must be none of this origin's. */
function contentType(headers: Headers): string {
  const json = headers.get("content-type")?.startsWith("application/json");
  return json ? "application/json" : "text/plain;charset=utf-8";
}
