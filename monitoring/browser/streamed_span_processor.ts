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
import { nextTask } from "./when_idle.ts";

/** Ended spans that are captured in one task: a millisecond each on a slow device. */
const SPANS_PER_TASK = 10;

/**
 * Operations of spans that browser tracing makes of measurements, all at the end of the page load. The SDK's idle span
 * need not know them. For each it would visit all spans of the page, and restart its timers.
 */
const MEASURED = /^(?:browser|resource)\./;

const isMeasured = (span: ReadableSpan) => MEASURED.test(String(span.attributes["sentry.op"]));

/** Page loads and navigations are counted from their start: they last for seconds, and without them a trace has no name. */
const isPage = (span: ReadableSpan) =>
  /^(?:pageload|navigation)$/.test(String(span.attributes["sentry.op"]));

/**
 * Passes spans to Sentry's client as they start and end. Replaces `SentrySpanProcessor`: it emits
 * `spanEnd` in `onEnd`, where attributes can no longer be set, and includes an exporter of transactions
 * (2 KB compressed) that streaming does not use.
 */
export class StreamedSpanProcessor implements SpanProcessor {
  /** Oldest first. Captured in later tasks: those of a page load would block input. */
  readonly #ended: ReadableSpan[] = [];

  /** @param onBuffered called with the number of further spans to send; negative: of those that are dropped */
  constructor(
    readonly client: Client,
    readonly allows: Consent["allows"],
    readonly onBuffered: (count: number) => void,
  ) {
    // Derives name and operation from attributes of OpenTelemetry's semantic conventions.
    client.on("preprocessSpan", backfillStreamedSpanDataFromOtel);
  }

  onStart(span: Span, parentContext: Context): void {
    if (isPage(span)) this.onBuffered(1);
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
    if (!isMeasured(span)) this.client.emit("spanStart", sentrySpan);
  }

  /**
   * The last moment at which attributes can be set: browser tracing writes first paint and time to first
   * byte to the page load here.
   */
  onEnding(span: Span): void {
    if (!isMeasured(span)) this.client.emit("spanEnd", span as unknown as SentrySpan);
  }

  onEnd(ended: ReadableSpan): void {
    const span = ended as unknown as SentrySpan;
    // The SDK sets the status of the page-load span on each error. On an ended span OpenTelemetry logs a
    // warning with a stack trace, which costs more than serializing the error.
    span.setStatus = () => span;
    if (!isPage(ended)) this.onBuffered(1);
    if (this.#ended.push(ended) === 1) void this.#captureInTasks();
  }

  /** Captures what has ended, during the call. The client buffers it, and has its own flush. */
  forceFlush(): Promise<void> {
    this.#capture(this.#ended.length);
    return Promise.resolve();
  }

  async #captureInTasks(): Promise<void> {
    while (this.#ended.length > 0) {
      await nextTask();
      this.#capture(SPANS_PER_TASK);
    }
  }

  #capture(count: number): void {
    for (const span of this.#ended.splice(0, count)) {
      // Not those from before a new grant. Whole milliseconds: a navigation starts in that of its grant.
      const [seconds, nanoseconds] = span.startTime;
      const startedAt = seconds * 1000 + Math.ceil(nanoseconds / 1e6);
      if (this.allows("traces", startedAt)) {
        this.client.emit("afterSpanEnd", span as unknown as SentrySpan);
      } else this.onBuffered(-1);
    }
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}
