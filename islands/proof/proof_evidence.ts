import type { Receipt } from "../../monitoring/browser/mod.ts";
import { isRetryable } from "../../monitoring/protocol/retry.ts";
import { ITEM_TYPES, type Signal } from "./find_signals.ts";

/** In {@linkcode SignalEvidence.off}: the user has not granted consent for the signal, or has withdrawn it. */
export const NO_CONSENT = "no consent";

/** Evidence about one signal. Times are in milliseconds. */
export interface SignalEvidence {
  /** The id by which it is recognised, for display. */
  readonly id?: string | undefined;
  /** Why it is switched off. */
  readonly off?: string | undefined;
  /** Whether it is sampled, if the SDK reports that before it sends. */
  readonly isSampled?: boolean | undefined;
  /** From its creation until an envelope contained it; undefined: none does. */
  readonly createdMs?: number | undefined;
  /** Of the envelope that contains it. */
  readonly receipt?: Receipt | undefined;
  /** The browser did not send it because of a rate limit that the ingest has announced. */
  readonly isLimited?: boolean | undefined;
  /** From the answer until the inbox returned it, and the envelope's id there. */
  readonly found?: { readonly ms: number; readonly envelope: number } | undefined;
}

/** Evidence about the page and its surroundings. */
export interface Circumstances {
  /** `inbox` or `relay`. */
  readonly variant: string;
  /** Where the browser sends envelopes: a path, or "direct to the ingest". */
  readonly route: string;
  readonly phase: "waiting" | "loading" | "running" | "failed";
  /** Why telemetry failed. */
  readonly reason?: string | undefined;
  readonly recorder: "waiting" | "buffering" | "recording" | "off" | "failed";
  readonly isOnline: boolean;
  /** The receipt of an envelope that fails, of this proof or older: others wait until it is sent. */
  readonly ahead?: Receipt | undefined;
  /** The receipt of an earlier segment that was refused, which ends a recording. */
  readonly refusedSegment?: Pick<Receipt, "status" | "error"> | undefined;
  /** No more evidence will come: what is missing has failed. */
  readonly isOver: boolean;
  /** Why recordings are not compressed; undefined: they are. */
  readonly worker?: "csp" | "other" | undefined;
  /** Why the browser does not store envelopes; undefined: it does, or was not asked. */
  readonly storage?: { readonly problem: "refused" | "full"; readonly detail?: string } | undefined;
  /** Whether the other end answers other requests; undefined: not asked. */
  readonly isReachable?: boolean | undefined;
  /** The answer to a refused envelope that was posted once more; undefined: not asked. */
  readonly refusal?: RefusalDetails | undefined;
  /** Why the inbox could not be asked. */
  readonly inboxProblem?: string | undefined;
}

/** Details of a refusal that the receipt does not have. */
export interface RefusalDetails {
  /** It has an outcome, so that Sightglass sent it, and not a proxy. */
  readonly isOfRelay: boolean;
  /** The relay's error code; undefined: it is the ingest that refuses. */
  readonly code?: string | undefined;
}

export type Evidence = Readonly<Record<Signal, SignalEvidence>>;

/** Whether it was sent, and the browser got no answer. */
export const isUnanswered = ({ attempts, status, outcome, error }: Receipt): boolean =>
  attempts > 0 && status === undefined && outcome === undefined && error !== undefined;

/** Whether it failed and is sent again later, so that the envelopes behind it wait. */
export const isFailing = (receipt: Receipt): boolean =>
  isUnanswered(receipt) ||
  receipt.outcome === undefined && receipt.status !== undefined && isRetryable(receipt.status);

/** Whether the reason of a refusal is known only from the relay's error code. */
export const isRefused = ({ status = 0 }: Receipt, route: string): boolean =>
  status >= 300 && status !== 429 && route.startsWith("/");

/** Whether a receipt is of an item that the browser dropped because of a rate limit. */
export function isLimitOf(signal: Signal, { items, outcome, attempts }: Receipt): boolean {
  return outcome === "rate_limited" && attempts === 0 &&
    items.some(({ type }) => type === ITEM_TYPES[signal]);
}
