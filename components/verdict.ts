import type { Outcome } from "../monitoring/protocol/relay_api.ts";
import { isRetryable } from "../monitoring/protocol/retry.ts";

/**
 * What became of an envelope, for the eye: it `flows` (arrived), it `waits` (somebody keeps it and
 * will try again), or it was `refused` (nobody will try again).
 */
export type Kind = "flows" | "waits" | "refused";

export interface Verdict {
  readonly kind: Kind;
  /** One word for a table. */
  readonly word: string;
  /** What the word means, as part of a sentence. */
  readonly meaning: string;
}

/** What a verdict rests on: the part of a receipt that the answer decided. */
export interface Answer {
  /** HTTP status; undefined while there was no answer. */
  readonly status?: number;
  /** The relay's `X-Relay-Outcome`; undefined when the ingest itself answered. */
  readonly outcome?: string;
  /** Why there was no answer, or what the answer complained of. */
  readonly error?: string;
  /** How often it was sent; not given: at least once. */
  readonly attempts?: number;
}

const RATE_LIMITED: Verdict = {
  kind: "refused",
  word: "rate limited",
  meaning: "the ingest announced a limit for what it holds",
};

/** The relay's outcomes, in its own words. */
const OUTCOMES: ReadonlyMap<string, Verdict> = new Map<string, Verdict>(Object.entries(
  {
    delivered: { kind: "flows", word: "delivered", meaning: "accepted by the ingest" },
    stored: { kind: "flows", word: "stored", meaning: "stored in the inbox" },
    duplicate: { kind: "flows", word: "duplicate", meaning: "it had arrived before" },
    spooled: {
      kind: "waits",
      word: "spooled",
      meaning: "on the relay's disk until the ingest takes it",
    },
    // Whether it arrived the other tab's receipt says.
    handed_over: { kind: "waits", word: "handed over", meaning: "another tab has seen to it" },
    rate_limited: RATE_LIMITED,
    rejected: { kind: "refused", word: "rejected", meaning: "refused by the ingest" },
    dropped: { kind: "refused", word: "dropped", meaning: "given up" },
  } satisfies Record<Outcome | "handed_over", Verdict>,
));

const WAITING: Verdict = { kind: "waits", word: "waiting", meaning: "not sent yet" };
const SENDING: Verdict = { kind: "waits", word: "sending", meaning: "no answer yet" };
const ACCEPTED: Verdict = { kind: "flows", word: "accepted", meaning: "accepted by the ingest" };
const REFUSED: Verdict = { kind: "refused", word: "refused", meaning: "not taken" };
const KEPT: Verdict = {
  kind: "waits",
  word: "kept",
  meaning: "kept in this browser and sent again later",
};

/**
 * Judges an answer. The outcome decides where the relay named one; else the status does, since a
 * self-hosted ingest answers the browser itself and knows no outcomes.
 *
 * @param answer status, outcome and error of the last attempt
 */
export function judge({ status, outcome, error, attempts }: Answer): Verdict {
  const named = outcome === undefined ? undefined : OUTCOMES.get(outcome);
  if (named) return named;
  if (status === undefined && error === undefined) return attempts === 0 ? WAITING : SENDING;
  if (status === undefined) return KEPT;
  if (status >= 200 && status < 300) return ACCEPTED;
  if (status === 429) return RATE_LIMITED;
  return isRetryable(status) ? KEPT : REFUSED;
}
