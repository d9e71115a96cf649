import type { Receipt } from "../monitoring/browser/mod.ts";
import type { Outcome } from "../monitoring/protocol/relay_api.ts";
import { isRetryable } from "../monitoring/protocol/retry.ts";

/**
 * State of an envelope, shown as colour and mark: it arrived (`flows`), will arrive later (`waits`) or will not
 * (`refused`), or this page has nothing more to do with it, and nothing is wrong (`ended`).
 */
export type OutcomeKind = "flows" | "waits" | "refused" | "ended";

/** An outcome as the page shows it: one or two words for a table, and what they mean, as part of a sentence. */
type OutcomeDescription = readonly [kind: OutcomeKind, word: string, meaning: string];

/** The part of a receipt that decides its outcome. Without `attempts`: it was sent. */
export type DeliveryState = Partial<Pick<Receipt, "status" | "outcome" | "error" | "attempts">>;

/** The outcomes that the relay reports (docs/contract.md), and those of the browser's own delivery. */
const OUTCOMES: Readonly<
  Record<Outcome | "left_spool" | "handed_over" | "withdrawn", OutcomeDescription>
> = {
  delivered: ["flows", "delivered", "accepted by the ingest"],
  stored: ["flows", "stored", "stored in the inbox"],
  // Of an earlier attempt, perhaps of an earlier page.
  duplicate: ["ended", "duplicate", "received before; in relay mode perhaps still in the spool"],
  spooled: ["waits", "spooled", "in the relay's spool until the ingest accepts it"],
  left_spool: [
    "ended",
    "left the spool",
    "no longer in the relay's spool; another of its processes has the result",
  ],
  // The other tab's receipt has the result.
  handed_over: ["ended", "handed over", "sent by another tab"],
  rate_limited: [
    "refused",
    "lost",
    "discarded: the ingest announced a rate limit for its items",
  ],
  rejected: ["refused", "rejected", "refused by the ingest or by the relay"],
  withdrawn: ["ended", "deleted", "deleted unsent: consent was withdrawn"],
  dropped: ["refused", "lost", "discarded without delivery"],
};

const WAITING: OutcomeDescription = ["waits", "waiting", "not sent yet"];
const SENDING: OutcomeDescription = ["waits", "sending", "no response yet"];
const ACCEPTED: OutcomeDescription = ["flows", "accepted", "accepted by the ingest"];
const REFUSED: OutcomeDescription = ["refused", "refused", "not accepted"];
const KEPT: OutcomeDescription = [
  "waits",
  "kept",
  "kept in this browser until it can be sent again, after a failure or a rate limit",
];

/** Describes the state of an envelope, see {@linkcode OutcomeDescription}. */
export function describeOutcome(state: DeliveryState) {
  const [kind, word, meaning] = outcomeOf(state);
  return { kind, word, meaning };
}

/**
 * Its outcome decides if there is one, else the status: an ingest that the browser sends to directly reports no outcome.
 * The browser's delivery adds an outcome to a final 429.
 */
function outcomeOf({ status, outcome, error, attempts }: DeliveryState): OutcomeDescription {
  // The outcome may have a parameter, see `spoolKeyOf`.
  const name = outcome?.split(";", 1)[0] ?? "";
  if (Object.hasOwn(OUTCOMES, name)) return OUTCOMES[name as keyof typeof OUTCOMES];
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

/** Red if it was not handled, as in the Overview. Other errors need a look: whether one was handled may be unknown. */
export function errorKind(level: string, handled: boolean | null): OutcomeKind {
  const kind = levelKind(level);
  return handled === false ? "refused" : kind === "refused" ? "waits" : kind;
}
