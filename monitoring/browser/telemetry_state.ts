import type { DataCategory } from "@sentry/core/browser";
import type { ConsentState, SignalKind } from "./consent.ts";
import { createListeners } from "./listeners.ts";

/** State of this page's telemetry, as the page shows it. Immutable: each change makes a new object. */
export interface TelemetryState {
  readonly phase: "waiting" | "loading" | "running" | "failed";
  /** Why telemetry failed. */
  readonly reason?: string;
  /** The trace of the current page load or navigation. */
  readonly traceId?: string;
  readonly recording: "waiting" | "buffering" | "recording" | "off" | "failed";
  /** Why recordings are not compressed. */
  readonly compressionProblem?: string | undefined;
  readonly replayId?: string;
  /** Newest first, at most `MAX_RECEIPTS`. */
  readonly receipts: readonly Receipt[];
  /** Envelopes in this browser that are not yet accepted, refused or dropped. */
  readonly waiting: number;
  /** Why waiting envelopes would be lost with the page. */
  readonly storageProblem?: string | undefined;
  /** How many envelopes this page has dropped, in words; not set: none. */
  readonly dropped?: string;
  /** When each kind of signal was granted; not set before the start. */
  readonly consent?: ConsentState;
  /** False: the browser stores nothing, and the choice ends with the page. */
  readonly isConsentStored?: boolean;
  /** How many items of each kind this page has deleted unsent, because they were withdrawn. */
  readonly withdrawn?: Readonly<Partial<Record<SignalKind, number>>>;
  /** Main-thread time of starting telemetry, without loading its scripts. */
  readonly started?: MainThreadTime;
  /** Main-thread time of starting the recorder, without loading its scripts. */
  readonly recorderStarted?: MainThreadTime;
  /** Main-thread time of serializing envelopes and passing them to the store so far, in milliseconds. */
  readonly serialisingMs?: number;
}

/** Time that work took on the main thread, in milliseconds. */
export interface MainThreadTime {
  /** Start, relative to `performance.timeOrigin`. */
  readonly at: number;
  /** Of all its tasks together. */
  readonly ms: number;
}

/** State of one envelope of this page. */
export interface Receipt {
  /**
   * The envelope's `event_id`, or a local id. All segments of a recording share one: only together with
   * `at` it identifies an envelope.
   */
  readonly id: string;
  /** When the envelope was made, milliseconds since 1970. */
  readonly at: number;
  readonly items: readonly ReceiptItem[];
  /** Size of the envelope before compression. */
  readonly bytes: number;
  /** Bytes of all request bodies that this page sent of it, as sent: usually compressed. */
  readonly sentBytes: number;
  /** HTTP status of the last response; undefined: none yet. */
  readonly status?: number | undefined;
  /**
   * The relay's `X-Relay-Outcome`; `dropped`, `withdrawn` or `rate_limited` if it was not sent;
   * `handed_over` if another tab delivered it.
   */
  readonly outcome?: string | undefined;
  /** Why it was refused or dropped, or has to wait. */
  readonly error?: string | undefined;
  /** How often it was sent. */
  readonly attempts: number;
  /** Milliseconds between its creation and the end of the write to the store; undefined: in memory only. */
  readonly storedMs?: number | undefined;
  /** Milliseconds between its creation and the start of the last request. */
  readonly sentMs?: number | undefined;
  /** Milliseconds between its creation and the last response. */
  readonly tookMs: number;
}

export interface ReceiptItem {
  /** Sentry's item type, such as `event`. */
  readonly type: string;
  /** Size of the payload. */
  readonly bytes: number;
  /** Number of entries in a container of logs or spans. */
  readonly count?: number;
  /** Categories of the discarded events in a client report. */
  readonly reported?: readonly DataCategory[];
}

/** Older receipts are removed: the inbox and Sentry have all envelopes. */
const MAX_RECEIPTS = 200;

type StateChange = Partial<Omit<TelemetryState, "receipts">>;

export type TelemetryStore = ReturnType<typeof createTelemetryStore>;

/** Of a page that was just opened, also in the prerendered HTML. */
export const INITIAL_STATE: TelemetryState = {
  phase: "waiting",
  recording: "waiting",
  receipts: [],
  waiting: 0,
};

export function createTelemetryStore() {
  let state = INITIAL_STATE;
  const { subscribe, notify } = createListeners();

  function change(next: TelemetryState): void {
    state = next;
    notify();
  }

  return {
    subscribe,
    /** The state; the same object until something changes. */
    snapshot: () => state,
    update(partial: StateChange): void {
      for (const key in partial) {
        if (partial[key as keyof StateChange] !== state[key as keyof StateChange]) {
          return change({ ...state, ...partial });
        }
      }
    },
    /** Adds a receipt, or replaces the one of the same envelope. */
    receive(receipt: Receipt): void {
      const { receipts } = state;
      const isSame = ({ id, at }: Receipt) => id === receipt.id && at === receipt.at;
      const found = receipts.findIndex((other) => other.at < receipt.at || isSame(other));
      const replaced = found >= 0 && isSame(receipts[found]!) ? 1 : 0;
      const next = receipts.toSpliced(found < 0 ? receipts.length : found, replaced, receipt);
      change({ ...state, receipts: next.slice(0, MAX_RECEIPTS) });
    },
  };
}
