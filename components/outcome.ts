import type { Receipt } from "../monitoring/browser/mod.ts";
import type { Outcome } from "../monitoring/protocol/relay_api.ts";
import { isRetryable } from "../monitoring/protocol/retry.ts";

/**
 * State of an envelope, shown as colour and mark: it arrived (`flows`), will arrive later (`waits`) or will not
 * (`refused`), or this page has nothing more to do with it, and nothing is wrong (`ended`).
 */
export type OutcomeKind = "flows" | "waits" | "refused" | "ended";

/** An outcome as the page shows it. */
interface OutcomeDescription {
  readonly kind: OutcomeKind;
  /** One or two words for a table. */
  readonly word: string;
  /** What the word means, as part of a sentence. */
  readonly meaning: string;
}

/** The part of a receipt that decides its outcome. Without `attempts`: it was sent. */
export type DeliveryState = Partial<Pick<Receipt, "status" | "outcome" | "error" | "attempts">>;

/** The outcomes that the relay reports (docs/contract.md), and those of the browser's own delivery. */
const OUTCOMES: ReadonlyMap<string, OutcomeDescription> = new Map<string, OutcomeDescription>(
  Object.entries(
    {
      delivered: { kind: "flows", word: "delivered", meaning: "accepted by the ingest" },
      stored: { kind: "flows", word: "stored", meaning: "stored in the inbox" },
      duplicate: { kind: "flows", word: "duplicate", meaning: "received before" },
      spooled: {
        kind: "waits",
        word: "spooled",
        meaning: "in the relay's spool until the ingest accepts it",
      },
      left_spool: {
        kind: "ended",
        word: "left the spool",
        meaning: "no longer in the relay's spool; another of its processes has the result",
      },
      // The other tab's receipt has the result.
      handed_over: { kind: "ended", word: "handed over", meaning: "sent by another tab" },
      rate_limited: {
        kind: "refused",
        word: "rate limited",
        meaning: "discarded: the ingest announced a rate limit for its items",
      },
      rejected: {
        kind: "refused",
        word: "rejected",
        meaning: "refused by the ingest or by the relay",
      },
      withdrawn: {
        kind: "ended",
        word: "deleted",
        meaning: "deleted unsent: consent was withdrawn",
      },
      dropped: { kind: "refused", word: "dropped", meaning: "discarded without delivery" },
    } satisfies Record<Outcome | "left_spool" | "handed_over" | "withdrawn", OutcomeDescription>,
  ),
);

const WAITING: OutcomeDescription = { kind: "waits", word: "waiting", meaning: "not sent yet" };
const SENDING: OutcomeDescription = { kind: "waits", word: "sending", meaning: "no response yet" };
const ACCEPTED: OutcomeDescription = {
  kind: "flows",
  word: "accepted",
  meaning: "accepted by the ingest",
};
const REFUSED: OutcomeDescription = { kind: "refused", word: "refused", meaning: "not accepted" };
const KEPT: OutcomeDescription = {
  kind: "waits",
  word: "kept",
  meaning: "kept in this browser until it can be sent again, after a failure or a rate limit",
};

/**
 * Describes the state of an envelope. Its outcome decides if there is one, else the status: an ingest that the browser
 * sends to directly reports no outcome. The browser's delivery adds an outcome to a final 429.
 */
export function describeOutcome(
  { status, outcome, error, attempts }: DeliveryState,
): OutcomeDescription {
  // The outcome may have a parameter, see `spoolKeyOf`.
  const reported = OUTCOMES.get(outcome?.split(";", 1)[0] ?? "");
  if (reported) return reported;
  if (status === undefined && error === undefined) return attempts === 0 ? WAITING : SENDING;
  if (status === undefined) return KEPT;
  if (status >= 200 && status < 300) return ACCEPTED;
  return status === 429 || isRetryable(status) ? KEPT : REFUSED;
}

/** The key of an envelope in the relay's spool, by which the relay answers what became of it. */
export const spoolKeyOf = ({ outcome = "" }: DeliveryState): string | undefined =>
  /^spooled; key=(.+)$/.exec(outcome)?.[1];

/** Identifies a receipt. Segments of one recording share an id, so the key contains the time. */
export const receiptKey = ({ id, at }: { readonly id: string; readonly at: number }): string =>
  `${id}/${at}`;

/** The kind of mark for a level: cross for errors, diamond for warnings, dot for the rest. */
export function levelKind(level: string): OutcomeKind {
  if (level === "fatal" || level === "error") return "refused";
  return level === "warning" || level === "warn" ? "waits" : "flows";
}
