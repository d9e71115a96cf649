import type { EnvelopeHeader } from "../envelope/envelope.ts";
import { type Answer, takenAnswer } from "./answer.ts";
import type { HeaderReader } from "./http/answer_headers.ts";
import type { HttpAnswer } from "./http/response_reader.ts";
import { limitHeaders } from "./limit_headers.ts";

/** Whether the ingest cannot say now if it takes an envelope: another attempt may end otherwise. */
export function isPassing(status: number): boolean {
  return status < 200 || (status >= 300 && status < 400) || status >= 500 || status === 408 ||
    status === 425;
}

/**
 * What the sender is told of an answer with which the ingest has decided.
 *
 * @param now milliseconds since 1970
 */
export function verdict(upstream: HttpAnswer, header: EnvelopeHeader, now: number): Answer {
  const { status } = upstream;
  const headers: Record<string, string> = { "content-type": contentType(upstream.headers) };
  copy(upstream.headers, headers, "x-sentry-error", "x-sentry-rate-limits");
  if (status === 429) {
    Object.assign(headers, limitHeaders(upstream.headers, now));
    return { ...refused(upstream, headers), outcome: "rate_limited" };
  }
  if (status >= 400) return { ...refused(upstream, headers), outcome: "rejected" };
  if (upstream.body) return { status, headers, body: upstream.body, outcome: "delivered" };
  const taken = takenAnswer(header, "delivered");
  return { ...taken, status, headers: { ...headers, ...taken.headers } };
}

function refused({ status, body = new Uint8Array() }: HttpAnswer, headers: Record<string, string>) {
  return { status, headers, body, reason: "ingest" } as const;
}

function copy(from: HeaderReader, to: Record<string, string>, ...names: readonly string[]): void {
  for (const name of names) {
    const value = from.get(name);
    if (value !== null) to[name] = value;
  }
}

/** JSON or plain text: what another host calls a page or a script must be none of this origin's. */
function contentType(headers: HeaderReader): string {
  const json = headers.get("content-type")?.startsWith("application/json");
  return json ? "application/json" : "text/plain;charset=utf-8";
}
