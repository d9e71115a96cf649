import type { EnvelopeHeader } from "../../protocol/envelope.ts";
import { type Answer, takenAnswer } from "../answer.ts";
import type { HeaderReader, HttpResponse } from "./http/http_client.ts";
import { formatLimits, parseLimits, rateLimitHeaders } from "./rate_limit_headers.ts";

/** Of an ingest's error text in our response and logs. */
const MAX_ERROR_LENGTH = 512;

/** Converts an ingest's decision to the relay's answer. Untrusted: each header is parsed, bounded and written again. */
export function toAnswer(response: HttpResponse, header: EnvelopeHeader, now: number): Answer {
  const { status, headers: received, body } = response;
  const headers: Record<string, string> = { "content-type": contentType(received) };
  const error = ingestError(received);
  if (error !== undefined) headers["x-sentry-error"] = error;
  if (status === 429) {
    Object.assign(headers, rateLimitHeaders(received, now));
    return { ...refusal(response, headers), outcome: "rate_limited" };
  }
  const limits = formatLimits(parseLimits(received.get("x-sentry-rate-limits") ?? ""));
  if (limits !== "") headers["x-sentry-rate-limits"] = limits;
  if (status >= 400) return { ...refusal(response, headers), outcome: "rejected" };
  if (body) return { status, headers, body, outcome: "delivered" };
  const taken = takenAnswer(header, "delivered");
  return { ...taken, status, headers: { ...headers, ...taken.headers } };
}

/** An ingest's reason for refusing an envelope, without control characters, which include those of terminals. */
function ingestError(headers: HeaderReader): string | undefined {
  const text = headers.get("x-sentry-error")?.slice(0, MAX_ERROR_LENGTH);
  return text?.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, "?") || undefined;
}

function refusal({ status, body = new Uint8Array() }: HttpResponse, headers: Answer["headers"]) {
  return { status, headers, body, reason: "ingest" } as const;
}

/** JSON or plain text: a response must not become a page or script of this origin. */
function contentType(headers: HeaderReader): string {
  const isJson = headers.get("content-type")?.startsWith("application/json");
  return isJson ? "application/json" : "text/plain;charset=utf-8";
}
