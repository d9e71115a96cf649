import type { EnvelopeHeader } from "../protocol/envelope.ts";
import { type Answer, takenAnswer } from "./answer.ts";
import type { HeaderReader } from "./http/answer_headers.ts";
import type { HttpAnswer } from "./http/response_reader.ts";
import { formatLimits, limitHeaders, parseLimits } from "./limit_headers.ts";

/** Characters of an ingest's sentence that are passed on and logged. */
const MAX_ERROR_LENGTH = 512;

/** Whether the ingest cannot say now if it takes an envelope: another attempt may end otherwise. */
export function isPassing(status: number): boolean {
  return status < 200 || (status >= 300 && status < 400) || status >= 500 || status === 408 ||
    status === 425;
}

/**
 * The sentence with which an ingest refuses an envelope, fit for a header and a log line: bounded, and
 * without control characters, those of terminals included.
 */
export function ingestError(headers: HeaderReader): string | undefined {
  const text = headers.get("x-sentry-error")?.slice(0, MAX_ERROR_LENGTH);
  return text?.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, "?") || undefined;
}

/**
 * The sender's answer once the ingest has decided. No header of the ingest is copied: each is read,
 * checked and rewritten.
 *
 * @param now milliseconds since 1970
 */
export function verdict(upstream: HttpAnswer, header: EnvelopeHeader, now: number): Answer {
  const { status } = upstream;
  const headers: Record<string, string> = { "content-type": contentType(upstream.headers) };
  const error = ingestError(upstream.headers);
  if (error !== undefined) headers["x-sentry-error"] = error;
  if (status === 429) {
    Object.assign(headers, limitHeaders(upstream.headers, now));
    return { ...refused(upstream, headers), outcome: "rate_limited" };
  }
  const limits = formatLimits(parseLimits(upstream.headers.get("x-sentry-rate-limits") ?? ""));
  if (limits !== "") headers["x-sentry-rate-limits"] = limits;
  if (status >= 400) return { ...refused(upstream, headers), outcome: "rejected" };
  if (upstream.body) return { status, headers, body: upstream.body, outcome: "delivered" };
  const taken = takenAnswer(header, "delivered");
  return { ...taken, status, headers: { ...headers, ...taken.headers } };
}

function refused({ status, body = new Uint8Array() }: HttpAnswer, headers: Record<string, string>) {
  return { status, headers, body, reason: "ingest" } as const;
}

/** JSON or plain text: what another host calls a page or a script must be none of this origin's. */
function contentType(headers: HeaderReader): string {
  const json = headers.get("content-type")?.startsWith("application/json");
  return json ? "application/json" : "text/plain;charset=utf-8";
}
