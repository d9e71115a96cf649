import { trace } from "@opentelemetry/api";
import { type Sampler, SamplingDecision, WebTracerProvider } from "@opentelemetry/sdk-trace-web";
import {
  enhanceDscWithOpenTelemetryRootSpanName,
  SentryPropagator,
  SentrySampler,
  setOpenTelemetryContextAsyncContextStrategy,
  setupEventContextTrace,
  wrapSamplingDecision,
} from "@sentry/opentelemetry";
import { browserTracingIntegration, globalHandlersIntegration } from "@sentry/react";
import type { CallQueue } from "./call_queue.ts";
import { captureCalls } from "./capture_calls.ts";
import type { ClientConfig } from "./client_config.ts";
import type { Consent } from "./consent.ts";
import { startDelivery } from "./delivery/start_delivery.ts";
import { createIsMonitoringRequest, withoutOwnActivity } from "./monitoring_requests.ts";
import {
  flushWhenHidden,
  flushWhenLoaded,
  followPageTrace,
  PageContextManager,
  restartPageTrace,
  serverTraceContext,
} from "./page_trace.ts";
import { knownPath } from "./privacy/text.ts";
import { idGenerator } from "./random_ids.ts";
import { startClient } from "./start_client.ts";
import type * as recorderModule from "./start_recording.ts";
import { StreamedSpanProcessor } from "./streamed_span_processor.ts";
import type { MainThreadTime, TelemetryStore } from "./telemetry_state.ts";
import type { SessionDataWriter } from "./session_data.ts";
import { nextTask, untilIdle, whenIdle } from "./when_idle.ts";

interface TelemetryOptions {
  readonly config: ClientConfig;
  /** The browser's own `fetch`, from before the SDK patches it. */
  readonly fetch: typeof fetch;
  readonly store: TelemetryStore;
  readonly queue: CallQueue;
  readonly session: SessionDataWriter;
  readonly consent: Consent;
  /** Loads the code that records the page. */
  readonly recording: () => Promise<typeof recorderModule>;
}

// In this file, because code that makes spans by hand is loaded before it.
export { trace } from "@opentelemetry/api";

/**
 * Starts OpenTelemetry and Sentry's client. The order matters: each step depends on the ones before it,
 * and most other orders lose data silently. It takes three tasks, as one would block input for too long.
 *
 * @returns a function that sends what is buffered
 */
export async function startTelemetry(
  { config, fetch, store, queue, session, consent, recording }: TelemetryOptions,
): Promise<() => void> {
  const startedAt = performance.now();
  let ms = 0;
  let resumedAt = startedAt;
  async function pause(): Promise<void> {
    ms += performance.now() - resumedAt;
    await nextTask();
    resumedAt = performance.now();
  }
  const isMonitoringRequest = createIsMonitoringRequest(config.monitoringPath, location.href);

  // 1. Keep Sentry's scopes in OpenTelemetry's context: otherwise the SDK's own spans get another trace.
  setOpenTelemetryContextAsyncContextStrategy();

  // 2. Start the client, without browser tracing: it would start the page load before the tracer exists.
  const { transport, recordDroppedEvent, onReplaySent, onBuffered, applyConsent } = startDelivery({
    config,
    fetch,
    store,
    session,
    allows: consent.allows,
  });
  const client = startClient({ config, isMonitoringRequest, transport, consent });
  client.recordDroppedEvent = recordDroppedEvent;
  client.on("afterCaptureLog", () => onBuffered("log_item", 1));

  // 3. Follow consent from now on: delivery has started.
  const contextManager = new PageContextManager();
  let recorder: recorderModule.Recorder | undefined;
  let hadError = false;
  consent.follow((changed) => {
    if (changed.includes("traces")) {
      restartPageTrace(client, contextManager, consent.allows("traces"));
    }
    if (changed.includes("recordings")) {
      recorder?.stop();
      hadError = false;
      void record();
    }
    // Buffered spans and logs reach the transport, where those of a withdrawn kind end.
    client.emit("flush");
    applyConsent();
  });
  const stopWatching = client.on(
    "afterSendEvent",
    // Without a status it ended at the transport.
    (event, { statusCode }) => hadError ||= !event.type && statusCode !== undefined,
  );

  // The client captures nothing yet: until step 10 errors and calls are queued, and spans are not recorded.
  await pause();

  // 4. Take the trace of events and trace headers from OpenTelemetry's active span.
  setupEventContextTrace(client);
  enhanceDscWithOpenTelemetryRootSpanName(client);

  // 5. Create OpenTelemetry's tracer: the client samples and receives its spans.
  const provider = new WebTracerProvider({
    idGenerator,
    sampler: whileGranted(
      withoutOwnActivity(new SentrySampler(client), isMonitoringRequest),
      consent,
    ),
    spanProcessors: [
      new StreamedSpanProcessor(
        client,
        consent.allows,
        (count) => onBuffered("span", count),
      ),
    ],
  });

  // 6. Register it: from here on OpenTelemetry's API makes real spans.
  provider.register({ propagator: new SentryPropagator(), contextManager });

  // 7. Let the page load continue the server's trace.
  contextManager.fallback = serverTraceContext();

  await pause();

  // 8. Start the page load, which becomes the parent of all later spans.
  followPageTrace(client, contextManager, (traceId) => store.update({ traceId }));
  client.addIntegration(browserTracingIntegration({
    beforeStartSpan: (span) => ({
      ...span,
      name: knownPath(new URL(span.name, location.href).pathname),
      attributes: { ...span.attributes, "sentry.source": "route" },
    }),
    shouldCreateSpanForRequest: (url) => !isMonitoringRequest(url),
    // The page calls `navigated`: it knows that a new fragment or history state is no navigation, and
    // when a navigation has started.
    instrumentNavigation: false,
    // `flushWhenHidden` ends the page's span.
    markBackgroundSpan: false,
    // The SDK's own mark.
    ignorePerformanceApiSpans: ["sentry-tracing-init"],
  }));

  // 9. Flush early, so that leaving the page loses nothing that is buffered.
  flushWhenLoaded(client);
  flushWhenHidden(provider, client, contextManager);

  // 10. Capture errors and calls, at first those that were queued.
  client.addIntegration(globalHandlersIntegration());
  captureCalls(client, queue, consent);
  whenIdle(() => void record());
  // Without `performance.measure`, from which browser tracing would make a span.
  ms += performance.now() - resumedAt;
  store.update({ started: { at: startedAt, ms } });
  return () => {
    void provider.forceFlush();
    client.emit("flush");
    recorder?.flush();
  };

  async function record(): Promise<void> {
    if (!consent.allows("recordings")) {
      forgetRecording();
      return store.update({ recording: "off" });
    }
    if (recorder) return recorder.start();
    try {
      const { splitStaticStyles, startRecording } = await recording();
      splitStaticStyles();
      await untilIdle();
      // Consent may have changed meanwhile.
      if (recorder || !consent.allows("recordings")) return;
      stopWatching();
      const startedAt = performance.now();
      recorder = startRecording({ client, isMonitoringRequest, store, hadError, consent });
      onReplaySent(recorder.refreshLater);
      store.update({ recorderStarted: timeSince(startedAt) });
    } catch {
      // Blocked or broken: everything else works without the recording.
      store.update({ recording: "failed" });
    }
  }
}

/** In the trace state of spans that were made while traces were withdrawn. */
const WITHDRAWN = "withdrawn";

/**
 * Records no spans while traces are withdrawn, nor later children of such spans: the SDK would count them as lost by
 * sampling. Requests then carry "not sampled": the server makes no spans of
 * them either.
 */
const whileGranted = (sampler: Sampler, { allows }: Consent): Sampler => ({
  shouldSample(context, traceId, name, kind, spanAttributes, links) {
    if (allows("traces") && !trace.getSpanContext(context)?.traceState?.get(WITHDRAWN)) {
      return sampler.shouldSample(context, traceId, name, kind, spanAttributes, links);
    }
    const decision = SamplingDecision.NOT_RECORD;
    const { traceState } = wrapSamplingDecision({ decision, context, spanAttributes });
    return { decision, traceState: traceState?.set(WITHDRAWN, "1") };
  },
});

/** A later grant must not continue the recording of an earlier page. A recorder that runs does this itself. */
function forgetRecording(): void {
  try {
    sessionStorage.removeItem("sentryReplaySession");
  } catch {
    // Refused by the browser's settings: nothing is stored.
  }
}

const timeSince = (at: number): MainThreadTime => ({ at, ms: performance.now() - at });
