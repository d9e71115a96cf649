import { type EnvelopeHeader, eventId } from "../protocol/envelope.ts";
import type { Reason } from "./metrics.ts";
import type { Outcome } from "./outcomes.ts";
import type { HeldBack } from "./rate_limits.ts";

/** What the relay answers, before it is an HTTP response. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** Undefined for what is no envelope: nothing to deliver, nothing to count. */
  readonly outcome?: Outcome;
  /** Why the outcome is no success. */
  readonly reason?: Reason;
}

const JSON_TYPE = { "content-type": "application/json" };

/** 200 with the envelope's event id, or `{}` where it has none: how Sentry's ingest says "taken". */
export function takenAnswer(header: EnvelopeHeader, outcome?: Outcome): Answer {
  const id = eventId(header);
  const body = JSON.stringify(id === undefined ? {} : { id });
  return { status: 200, headers: JSON_TYPE, body, outcome };
}

/** 429 while limits that the ingest announced hold for all of an envelope: nobody is asked again. */
export function heldAnswer(limits: HeldBack): Answer {
  const detail = "The ingest takes nothing of what the envelope holds until its limits end.";
  return {
    status: 429,
    headers: { ...JSON_TYPE, ...limits, "x-sentry-error": detail },
    body: JSON.stringify({ error: "rate_limited", detail }),
    outcome: "rate_limited",
    reason: "ingest",
  };
}

/** The Fetch standard lets these have no body, not even an empty one. */
const WITHOUT_BODY = new Set([204, 205]);

export function toResponse(answer: Answer, cors: Readonly<Record<string, string>>): Response {
  const headers: Record<string, string> = { ...answer.headers, ...cors };
  if (answer.outcome !== undefined) headers["x-relay-outcome"] = answer.outcome;
  const body = WITHOUT_BODY.has(answer.status) ? null : answer.body;
  return new Response(body, { status: answer.status, headers });
}
