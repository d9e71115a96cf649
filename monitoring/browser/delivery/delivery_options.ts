import type { SignalKind } from "../consent.ts";
import type { Receipt } from "../telemetry_state.ts";
import type { Allows } from "./consented.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import type { Journal } from "./journal.ts";
import type { SharedRateLimits } from "./rate_limits.ts";
import type { StorageQuota } from "./retention.ts";
import type { SendEnvelope } from "./send_envelope.ts";

export interface DeliveryOptions {
  readonly store: Promise<EnvelopeStore>;
  /** Entries for what the store has not confirmed. */
  readonly journal: Journal;
  readonly limits: SharedRateLimits;
  readonly send: SendEnvelope;
  /** For the header of client reports, which a relay requires; empty for an ingest. */
  readonly dsn: string;
  /** What consent covers. Discarded events of other kinds are neither counted nor reported. */
  readonly allows: Allows;
  /** Called when the state of an envelope changes. */
  readonly onReceipt: (receipt: Receipt) => void;
  /** Called with the number of envelopes that are not yet accepted, refused or dropped. */
  readonly onWaiting: (count: number) => void;
  /** Called after each write to the store: false means that the envelope is in memory only. */
  readonly onStored: (isStored: boolean) => void;
  /** Called for each dropped envelope. */
  readonly onDropped: () => void;
  /** Called with the number of items that are deleted because they were withdrawn. They do not count as lost. */
  readonly onWithdrawn: (kind: SignalKind, items: number) => void;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
  /** Default: `STORAGE_QUOTA`. */
  readonly quota?: StorageQuota;
  /** From 0 to 1: jitter of the backoff. */
  readonly random?: () => number;
}

export type PartOptions = Required<DeliveryOptions>;
