import { createListeners } from "./listeners.ts";

export interface SessionEnvelope {
  /** When it was made, milliseconds since 1970: the `at` of its receipt. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Envelopes of this session, for the page's own views. The oldest are evicted. */
export interface SessionData {
  /** Oldest first. */
  readonly envelopes: readonly SessionEnvelope[];
  /** Calls `listener` after an addition, at most once a frame; returns a function that stops it. */
  subscribe(listener: () => void): () => void;
}

export type SessionDataWriter = ReturnType<typeof createSessionData>;

/** A long recording; errors and logs are small beside it. */
const MAX_ENVELOPE_BYTES = 16 * 1024 * 1024;

export function createSessionData() {
  const envelopes: SessionEnvelope[] = [];
  const { subscribe, notify } = createListeners();
  let bytes = 0;

  return {
    envelopes,
    subscribe,
    addEnvelope(envelope: SessionEnvelope): void {
      envelopes.push(envelope);
      bytes += envelope.bytes.length;
      while (bytes > MAX_ENVELOPE_BYTES) bytes -= envelopes.shift()!.bytes.length;
      notify();
    },
  };
}
