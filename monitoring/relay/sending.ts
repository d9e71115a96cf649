import type { AdmittedEnvelope } from "../protocol/admitted_envelope.ts";
import { categoryOf } from "../protocol/categories.ts";
import type { EnvelopeHeader } from "../protocol/envelope.ts";
import { type Answer, limitedAnswer, takenAnswer } from "./answer.ts";
import { RelayError } from "./errors.ts";
import type { EnvelopeStore, RelayOptions } from "./relay_options.ts";
import type { HttpResponse } from "./send/http/http_client.ts";
import {
  formatLimits,
  parseLimits,
  type RateLimitHeaders,
  rateLimitHeaders,
} from "./send/rate_limit_headers.ts";
import type { Sender } from "./send/sender.ts";
import type { RelayParts } from "./spool/relay_parts.ts";

type SendingOptions =
  & Pick<RelayOptions, "store" | "spool" | "onStoreError">
  & Pick<RelayParts, "clock" | "client" | "limits" | "duplicates">;

/** Forwards admitted envelopes, or puts them into the spool or the inbox, and makes the answers. */
export function createSending(
  { store, spool, onStoreError, clock, client, limits, duplicates }: SendingOptions,
) {
  const limitsOn = ({ dsn, items }: AdmittedEnvelope): RateLimitHeaders | undefined => {
    const categories = items.map(({ type }) => categoryOf(type));
    return limits.check(dsn.text, categories, clock.uptime());
  };

  const putInto = async (store: EnvelopeStore, envelope: AdmittedEnvelope): Promise<Answer> => {
    try {
      await store.store(envelope);
    } catch (error) {
      onStoreError?.(error);
      throw new RelayError(
        "spool_unavailable",
        "The inbox could not store the envelope; send it again later.",
      );
    }
    return takenAnswer(envelope.header, "stored");
  };

  const forward = async (envelope: AdmittedEnvelope, sender: Sender): Promise<Answer> => {
    const { dsn, header } = envelope;
    if (spool !== undefined) {
      const mayForward = () => client.breakerOf(dsn).mayForward(spool.isFailing);
      const match = mayForward() ? await spool.find(envelope) : undefined;
      // Meanwhile the drain may have delivered a copy, which is no longer in the spool.
      if (match === "duplicate" || duplicates.isTaken(envelope.key, clock.uptime())) {
        return takenAnswer(header, "duplicate");
      }
      if (match === "earlier segment") {
        return await spool.put(envelope, sender, "an earlier segment of its recording waits");
      }
      // Checked again: meanwhile another envelope may have become the only one in a half-open circuit.
      if (!mayForward()) return await spool.put(envelope, sender, "it is down");
    }
    const attempt = await client.attempt(envelope, sender, () => limitsOn(envelope));
    if (attempt.kind === "rate_limited") return limitedAnswer(attempt.limits);
    if (attempt.kind === "decided") return toAnswer(attempt.response, header, clock.now());
    const reason = attempt.kind === "aborted" ? "this server is stopping" : attempt.reason;
    if (spool !== undefined) return await spool.put(envelope, sender, reason);
    throw new RelayError(
      "spool_unavailable",
      `The ingest has not taken the envelope (${reason}) and there is no spool; send it again later.`,
    );
  };

  return {
    limitsOn,
    /** @throws {RelayError} `spool_full`, `spool_unavailable` */
    deliver: (envelope: AdmittedEnvelope, sender: Sender): Promise<Answer> =>
      store ? putInto(store, envelope) : forward(envelope, sender),
  };
}

/** Of an ingest's error text in our response and logs. */
const MAX_ERROR_LENGTH = 512;

/** Converts an ingest's decision to the relay's answer. Untrusted: each header is parsed, bounded and written again. */
function toAnswer(response: HttpResponse, header: EnvelopeHeader, now: number): Answer {
  const { status, headers: received, body } = response;
  // A response must not become a page or script of this origin.
  const isJson = received.get("content-type")?.startsWith("application/json");
  const type = isJson ? "application/json" : "text/plain;charset=utf-8";
  const headers: Record<string, string> = { "content-type": type };
  // Without control characters, which include those of terminals.
  const error = received.get("x-sentry-error")?.slice(0, MAX_ERROR_LENGTH)
    .replaceAll(/[^\x20-\x7e\xa0-\xff]/g, "?");
  if (error) headers["x-sentry-error"] = error;
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

function refusal({ status, body = new Uint8Array() }: HttpResponse, headers: Answer["headers"]) {
  return { status, headers, body, reason: "ingest" } as const;
}
