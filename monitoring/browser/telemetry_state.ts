import { createFrameListeners } from "./frame_listeners.ts";
import type { Receipt } from "./receipt.ts";

/** What the page may know of its own telemetry. Frozen in time: a change makes a new object. */
export interface TelemetryState {
  readonly phase: "waiting" | "loading" | "running" | "failed";
  /** Why telemetry failed. */
  readonly reason?: string;
  /** The trace of the current page load or navigation. */
  readonly traceId?: string;
  readonly recording: "waiting" | "buffering" | "recording" | "off" | "failed";
  /** How the recording is packed, in words, where that is not as it should be. */
  readonly packing?: string | undefined;
  readonly replayId?: string;
  /** Newest first, at most `MAX_RECEIPTS`. */
  readonly receipts: readonly Receipt[];
  /** Envelopes kept in this browser that nobody has acknowledged or refused yet. */
  readonly waiting: number;
  /** How they are kept, in words, where they would not survive the page. */
  readonly keeping?: string | undefined;
  /** How many envelopes this page gave up, in words; not set: none. */
  readonly givenUp?: string;
  /** Starting telemetry, once its scripts were there and had run. */
  readonly started?: Stretch;
  /** Starting the recorder, likewise. */
  readonly recorderStarted?: Stretch;
  /** Making bytes of envelopes so far: milliseconds of the main thread. */
  readonly serialisingMs?: number;
}

/** A stretch of the main thread's time, in milliseconds. */
export interface Stretch {
  /** Its beginning, on the page's clock. */
  readonly at: number;
  readonly ms: number;
}

/** A list for reading, not an archive: the inbox and Sentry have the rest. */
const MAX_RECEIPTS = 200;

export type StateChange = Partial<Omit<TelemetryState, "receipts">>;

export interface TelemetryStore {
  /** Calls `listener` after changes, at most once a frame; returns how to stop. */
  subscribe(listener: () => void): () => void;
  /** The state; the same object until something changes. */
  snapshot(): TelemetryState;
  update(change: StateChange): void;
  /** Adds a receipt, or replaces the one of the same envelope. */
  receive(receipt: Receipt): void;
}

/** Creates the state that the page's islands read. */
export function createTelemetryStore(): TelemetryStore {
  let state: TelemetryState = {
    phase: "waiting",
    recording: "waiting",
    receipts: [],
    waiting: 0,
  };
  const { subscribe, announce } = createFrameListeners();

  function change(next: TelemetryState): void {
    state = next;
    announce();
  }

  return {
    subscribe,
    snapshot: () => state,
    update(partial) {
      for (const key in partial) {
        if (partial[key as keyof StateChange] !== state[key as keyof StateChange]) {
          return change({ ...state, ...partial });
        }
      }
    },
    receive(receipt) {
      const { id, at } = receipt;
      const others = state.receipts.filter((other) => other.id !== id || other.at !== at);
      const older = others.findIndex((other) => other.at <= at);
      const receipts = others.toSpliced(older < 0 ? others.length : older, 0, receipt);
      change({ ...state, receipts: receipts.slice(0, MAX_RECEIPTS) });
    },
  };
}
