import { errorAnswer } from "../protocol/error_answer.ts";
import { type EnvelopeHeader, eventId } from "../protocol/envelope.ts";
import type { Outcome } from "../protocol/relay_api.ts";
import { DisconnectedError, RELAY_ERRORS, type RelayError, type RelayErrorCode } from "./errors.ts";
import type { RateLimitHeaders } from "./send/rate_limit_headers.ts";

/** Why an envelope was not taken. */
export type Reason = RelayErrorCode | "disconnected" | "ingest" | "expired";

/** What the relay answers: `toResponse` of the server makes an HTTP response of it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Undefined for an envelope without items: there is nothing to deliver or count. */
  readonly outcome?: Outcome;
  readonly reason?: Reason;
}

const TAKEN: readonly (Outcome | undefined)[] = ["delivered", "spooled", "stored", "duplicate"];

/** Whether an envelope is delivered or durable, so that further copies of it are duplicates. */
export function isTaken(outcome: Outcome | undefined): boolean {
  return TAKEN.includes(outcome);
}

const JSON_TYPE = { "content-type": "application/json" };

/** 200 with the envelope's event id, or `{}` without one, like Sentry's ingest. */
export function takenAnswer(header: EnvelopeHeader, outcome?: Outcome): Answer {
  const id = eventId(header);
  const body = JSON.stringify(id === undefined ? {} : { id });
  return { status: 200, headers: JSON_TYPE, body, outcome };
}

/** 429 while rate limits of the ingest cover every item of the envelope. */
export function limitedAnswer(limits: RateLimitHeaders): Answer {
  const detail = "The ingest's rate limits cover every item of the envelope.";
  const error = { status: 429, error: "rate_limited", detail };
  const headers = { ...limits, "x-sentry-error": detail };
  return { ...errorAnswer(error, headers), outcome: "rate_limited", reason: "ingest" };
}

export function refusedAnswer(refusal: RelayError): Answer {
  const { code, detail } = refusal;
  const error = { status: RELAY_ERRORS[code], error: code, detail };
  const headers = { "x-sentry-error": detail };
  const reason = refusal instanceof DisconnectedError ? "disconnected" : code;
  return { ...errorAnswer(error, headers), outcome: "rejected", reason };
}
