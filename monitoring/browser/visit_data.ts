import type { Span } from "@opentelemetry/sdk-trace-web";
import { createListeners } from "./listeners.ts";

export interface VisitEnvelope {
  /** When it was made, milliseconds since 1970: the `at` of its receipt. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Spans and envelopes of this visit, for the page's own views. The oldest are evicted. */
export interface VisitData {
  /** OpenTelemetry spans in the order of their starts, running ones included. */
  readonly spans: readonly Span[];
  /** Oldest first. */
  readonly envelopes: readonly VisitEnvelope[];
  /** Calls `listener` after an addition or the end of a span, at most once a frame; returns a function that stops it. */
  subscribe(listener: () => void): () => void;
}

export interface VisitDataWriter extends VisitData {
  addSpan(span: Span): void;
  addEnvelope(envelope: VisitEnvelope): void;
  /** A span has ended. */
  notify(): void;
}

/** Some hundred page loads and navigations. */
const MAX_SPANS = 5_000;
/** A long recording; errors and logs are small beside it. */
const MAX_ENVELOPE_BYTES = 16 * 1024 * 1024;

/** Creates empty visit data. */
export function createVisitData(): VisitDataWriter {
  const spans: Span[] = [];
  const envelopes: VisitEnvelope[] = [];
  const { subscribe, notify } = createListeners();
  let bytes = 0;

  return {
    spans,
    envelopes,
    notify,
    subscribe,
    addSpan(span) {
      if (spans.push(span) > MAX_SPANS) spans.shift();
      notify();
    },
    addEnvelope(envelope) {
      envelopes.push(envelope);
      bytes += envelope.bytes.length;
      while (bytes > MAX_ENVELOPE_BYTES) bytes -= envelopes.shift()!.bytes.length;
      notify();
    },
  };
}
