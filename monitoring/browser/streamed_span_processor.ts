import { type Context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import type { Span, SpanProcessor } from "@opentelemetry/sdk-trace-web";
import {
  addChildSpanToSpan,
  type Client,
  getDefaultCurrentScope,
  getDefaultIsolationScope,
  setCapturedScopesOnSpan,
  type Span as SentrySpan,
} from "@sentry/core";
import type { TapeRecorder } from "./visit_tape.ts";
import { backfillStreamedSpanDataFromOtel, getScopesFromContext } from "@sentry/opentelemetry";

/**
 * Feeds the client with spans as they start and end: what `SentrySpanProcessor` does for a client
 * that streams its spans. That one brings the exporter of whole transactions along, which a
 * streaming client never calls (2 KB compressed), and tells of an end when it is too late.
 */
export class StreamedSpanProcessor implements SpanProcessor {
  readonly #client: Client;
  readonly #tape: TapeRecorder;

  constructor(client: Client, tape: TapeRecorder) {
    this.#client = client;
    this.#tape = tape;
    // Names and operations of spans that speak OpenTelemetry's conventions.
    client.on("preprocessSpan", backfillStreamedSpanDataFromOtel);
  }

  onStart(span: Span, parentContext: Context): void {
    this.#tape.addSpan(span);
    const ours = span as unknown as SentrySpan;
    const parent = trace.getSpan(parentContext);
    if (parent?.spanContext().isRemote) span.setAttribute("sentry.parentIsRemote", true);
    else if (parent) addChildSpanToSpan(parent as SentrySpan, ours);

    // Nobody has forked scopes for the root context: it has the page's own.
    const scopes = parentContext === ROOT_CONTEXT
      ? { scope: getDefaultCurrentScope(), isolationScope: getDefaultIsolationScope() }
      : getScopesFromContext(parentContext);
    if (scopes) setCapturedScopesOnSpan(ours, scopes.scope, scopes.isolationScope);
    this.#client.emit("spanStart", ours);
  }

  /**
   * The last moment at which a span takes attributes: first paint and time to first byte are written
   * to the page load here. (`SentrySpanProcessor` tells of it in `onEnd`, where they are lost.)
   */
  onEnding(span: Span): void {
    this.#client.emit("spanEnd", span as unknown as SentrySpan);
  }

  onEnd(span: unknown): void {
    this.#client.emit("afterSpanEnd", span as SentrySpan);
    this.#tape.changed();
  }

  /** What is held back is held by the client, which has a flush of its own. */
  forceFlush(): Promise<void> {
    return Promise.resolve();
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}
