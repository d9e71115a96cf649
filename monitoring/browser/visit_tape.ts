import type { Span } from "@opentelemetry/sdk-trace-web";
import { createFrameListeners } from "./frame_listeners.ts";

/** An envelope as it was made, and when: milliseconds since the epoch. */
export interface TapedEnvelope {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** What this visit has made, as far as it is kept: for who looks at it on the page itself. */
export interface VisitTape {
  /** Spans of OpenTelemetry in the order of their starts; those under way have not ended. */
  readonly spans: readonly Span[];
  /** In the order in which they were made. */
  readonly envelopes: readonly TapedEnvelope[];
  /** Calls `listener` after something was added or a span ended, at most once a frame; gives how to stop. */
  subscribe(listener: () => void): () => void;
}

export interface TapeRecorder extends VisitTape {
  addSpan(span: Span): void;
  addEnvelope(envelope: TapedEnvelope): void;
  /** A span has ended. */
  changed(): void;
}

/** Some hundred page loads and navigations; the oldest go first. */
const MAX_SPANS = 5_000;
/** Most bytes of envelopes: a long recording, beside which errors and logs weigh nothing. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Makes an empty tape. It is in the page's first scripts, so it stays tiny. */
export function createVisitTape(): TapeRecorder {
  const spans: Span[] = [];
  const envelopes: TapedEnvelope[] = [];
  const { subscribe, announce } = createFrameListeners();
  let bytes = 0;

  return {
    spans,
    envelopes,
    changed: announce,
    subscribe,
    addSpan(span) {
      if (spans.push(span) > MAX_SPANS) spans.shift();
      announce();
    },
    addEnvelope(envelope) {
      envelopes.push(envelope);
      bytes += envelope.bytes.length;
      while (bytes > MAX_BYTES) bytes -= envelopes.shift()!.bytes.length;
      announce();
    },
  };
}
