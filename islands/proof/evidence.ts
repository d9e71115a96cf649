import { spoolKeyOf } from "../../components/outcome.ts";
import type { Receipt, TelemetryState } from "../../monitoring/browser/mod.ts";
import { isRetryable } from "../../monitoring/protocol/retry.ts";
import {
  type findIds,
  type MadeSignals,
  mapSignals,
  type Signal,
  type SignalRecord,
  SIGNALS,
} from "./signals.ts";

export interface SignalEvidence {
  readonly id?: string | undefined;
  /** Why it is switched off. */
  readonly off?: "no consent" | "no recorder runs" | undefined;
  /** Milliseconds from its creation until an envelope contained it; undefined: none does. */
  readonly createdMs?: number | undefined;
  /** Of the envelope that contains it, or of its item that the browser dropped. */
  readonly receipt?: Receipt | undefined;
  /** Milliseconds from the answer until the inbox returned it; undefined: not yet. */
  readonly foundMs?: number | undefined;
}

export type Evidence = SignalRecord<SignalEvidence>;

export const NO_EVIDENCE: Evidence = mapSignals(() => ({}));

/** An envelope of this page, and the signals in it. */
export interface MadeEnvelope {
  /** When it was made, milliseconds since 1970. */
  readonly at: number;
  readonly ids: ReturnType<typeof findIds>;
}

type Telemetry = Pick<TelemetryState, "receipts" | "replayId" | "recording" | "consent">;

/**
 * Adds what the page has made and sent: follows each signal by its id.
 *
 * @param since envelopes since the signals were made
 */
export function addEvidence(
  before: Evidence,
  made: MadeSignals,
  since: readonly MadeEnvelope[],
  telemetry: Telemetry,
): Evidence {
  const { receipts, replayId, recording, consent } = telemetry;
  // The first segment only: later ones may repeat its recording.
  const segment = since.flatMap(({ ids }) => ids.recording)
    .find((id) => replayId !== undefined && String(id).startsWith(`${replayId} `));
  return mapSignals((signal) => {
    const known = before[signal];
    const id = known.id ?? (signal === "recording" ? segment as string : made.ids[signal]);
    const envelope = since.find(({ ids }) => id !== undefined && ids[signal].includes(id));
    // Of an item that may not be sent there is a receipt without bytes, and no envelope.
    const found = envelope
      ? receipts.find(({ at, bytes }) => at === envelope.at && bytes > 0)
      : receipts.find((one) => one.at >= made.at && isLimitOf(signal, one));
    const receipt = found && spoolKeyOf(found) ? { ...found, outcome: "spooled" } : found;
    const hasConsent = consent?.[SIGNALS[signal].consent] !== Infinity;
    const isOff = signal === "recording" && recording === "off";
    return {
      ...known,
      id,
      off: hasConsent ? isOff ? "no recorder runs" : undefined : "no consent",
      createdMs: known.createdMs ?? (envelope && Math.max(0, Math.round(envelope.at - made.at))),
      receipt: receipt ?? known.receipt,
    };
  });
}

/** Whether a receipt is of an item that the browser dropped because of a rate limit. */
const isLimitOf = (signal: Signal, { items, outcome, attempts }: Receipt): boolean =>
  outcome === "rate_limited" && attempts === 0 &&
  items.some(({ type }) => type === SIGNALS[signal].itemType);

/** Whether it was sent, and the browser got no answer. */
export const isUnanswered = ({ attempts, status, outcome, error }: Receipt): boolean =>
  attempts > 0 && status === undefined && outcome === undefined && error !== undefined;

/** Whether an envelope failed and is sent again later, so that those behind it wait. */
export const isFailing = (receipt: Receipt): boolean =>
  isUnanswered(receipt) ||
  receipt.outcome === undefined && receipt.status !== undefined && isRetryable(receipt.status);
