import { type Context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import type { ReadableSpan, Span, SpanProcessor } from "@opentelemetry/sdk-trace-web";
import {
  addChildSpanToSpan,
  type Client,
  getDefaultCurrentScope,
  getDefaultIsolationScope,
  setCapturedScopesOnSpan,
  type Span as SentrySpan,
} from "@sentry/core";
import { backfillStreamedSpanDataFromOtel, getScopesFromContext } from "@sentry/opentelemetry";
import type { Consent } from "./consent.ts";
import type { VisitDataWriter } from "./visit_data.ts";

/**
 * Passes spans to Sentry's client as they start and end. Replaces `SentrySpanProcessor`: it emits
 * `spanEnd` in `onEnd`, where attributes can no longer be set, and includes an exporter of transactions
 * (2 KB compressed) that streaming does not use.
 */
export class StreamedSpanProcessor implements SpanProcessor {
  readonly #client: Client;
  readonly #visit: VisitDataWriter;
  readonly #allows: Consent["allows"];

  constructor(client: Client, visit: VisitDataWriter, allows: Consent["allows"]) {
    this.#allows = allows;
    this.#client = client;
    this.#visit = visit;
    // Derives name and operation from attributes of OpenTelemetry's semantic conventions.
    client.on("preprocessSpan", backfillStreamedSpanDataFromOtel);
  }

  onStart(span: Span, parentContext: Context): void {
    this.#visit.addSpan(span);
    const sentrySpan = span as unknown as SentrySpan;
    // Browsers report scripts that a `modulepreload` fetched as "other".
    if (span.attributes["sentry.op"] === "resource.other" && /\.m?js(?:[?#]|$)/.test(span.name)) {
      span.setAttribute("sentry.op", "resource.script");
    }
    const parent = trace.getSpan(parentContext);
    if (parent?.spanContext().isRemote) span.setAttribute("sentry.parentIsRemote", true);
    else if (parent) addChildSpanToSpan(parent as SentrySpan, sentrySpan);

    // The root context has no forked scopes, only the page's own.
    const scopes = parentContext === ROOT_CONTEXT
      ? { scope: getDefaultCurrentScope(), isolationScope: getDefaultIsolationScope() }
      : getScopesFromContext(parentContext);
    if (scopes) setCapturedScopesOnSpan(sentrySpan, scopes.scope, scopes.isolationScope);
    this.#client.emit("spanStart", sentrySpan);
  }

  /**
   * The last moment at which attributes can be set: browser tracing writes first paint and time to first
   * byte to the page load here.
   */
  onEnding(span: Span): void {
    this.#client.emit("spanEnd", span as unknown as SentrySpan);
  }

  onEnd(ended: ReadableSpan): void {
    const span = ended as unknown as SentrySpan;
    // Not those from before a new grant. Whole milliseconds: a navigation starts in that of its grant.
    const [seconds, nanoseconds] = ended.startTime;
    const startedAt = seconds * 1000 + Math.ceil(nanoseconds / 1e6);
    if (this.#allows("traces", startedAt)) this.#client.emit("afterSpanEnd", span);
    // The SDK sets the status of the page-load span on each error. On an ended span OpenTelemetry logs a
    // warning with a stack trace, which costs more than serializing the error.
    span.setStatus = () => span;
    this.#visit.notify();
  }

  /** Spans are buffered by the client, which has its own flush. */
  forceFlush(): Promise<void> {
    return Promise.resolve();
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}
