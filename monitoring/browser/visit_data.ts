import { createListeners } from "./listeners.ts";

export interface VisitEnvelope {
  /** When it was made, milliseconds since 1970: the `at` of its receipt. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Envelopes of this visit, for the page's own views. The oldest are evicted. */
export interface VisitData {
  /** Oldest first. */
  readonly envelopes: readonly VisitEnvelope[];
  /** Calls `listener` after an addition, at most once a frame; returns a function that stops it. */
  subscribe(listener: () => void): () => void;
}

export interface VisitDataWriter extends VisitData {
  addEnvelope(envelope: VisitEnvelope): void;
}

/** A long recording; errors and logs are small beside it. */
const MAX_ENVELOPE_BYTES = 16 * 1024 * 1024;

/** Creates empty visit data. */
export function createVisitData(): VisitDataWriter {
  const envelopes: VisitEnvelope[] = [];
  const { subscribe, notify } = createListeners();
  let bytes = 0;

  return {
    envelopes,
    subscribe,
    addEnvelope(envelope) {
      envelopes.push(envelope);
      bytes += envelope.bytes.length;
      while (bytes > MAX_ENVELOPE_BYTES) bytes -= envelopes.shift()!.bytes.length;
      notify();
    },
  };
}
