import { WebTracerProvider } from "@opentelemetry/sdk-trace-web";
import {
  enhanceDscWithOpenTelemetryRootSpanName,
  SentryPropagator,
  SentrySampler,
  setOpenTelemetryContextAsyncContextStrategy,
  setupEventContextTrace,
} from "@sentry/opentelemetry";
import { browserTracingIntegration } from "@sentry/react";
import type { ClientConfig } from "./client_config.ts";
import { PageContextManager } from "./context_manager.ts";
import { startDelivery } from "./delivery/start_delivery.ts";
import { flushWhenHidden, flushWhenLoaded } from "./flush_early.ts";
import { idGenerator } from "./id_generator.ts";
import { createIsOwnRequest } from "./own_requests.ts";
import { followPageTrace } from "./page_trace.ts";
import type { PendingCalls } from "./pending_calls.ts";
import { performPending } from "./perform_calls.ts";
import { knownPath } from "./privacy/address.ts";
import { quietSampler } from "./quiet_sampler.ts";
import { serverTraceContext } from "./server_trace.ts";
import { startClient } from "./start_client.ts";
import { StreamedSpanProcessor } from "./streamed_span_processor.ts";
import type { Stretch, TelemetryStore } from "./telemetry_state.ts";
import type { TapeRecorder } from "./visit_tape.ts";
import { whenIdle } from "./when_idle.ts";

export interface TelemetryOptions {
  readonly config: ClientConfig;
  /** The browser's own `fetch`, from before the SDK patches it. */
  readonly fetch: typeof fetch;
  readonly store: TelemetryStore;
  readonly pending: PendingCalls;
  readonly tape: TapeRecorder;
}

/**
 * Starts OpenTelemetry and Sentry's client as one. The order is the point: each step relies on the
 * ones before it, and most of the obvious other orders lose data without a word.
 */
export function startTelemetry({ config, fetch, store, pending, tape }: TelemetryOptions): void {
  const startedAt = performance.now();
  const isOwn = createIsOwnRequest(config.monitoringPath, location.href);

  // 1. Scopes live in OpenTelemetry's context: else the SDK's own spans are of another trace.
  setOpenTelemetryContextAsyncContextStrategy();

  // 2. The client, without browser tracing: that would start the page load before there is a tracer.
  const { transport, recordDroppedEvent, onReplaySent } = startDelivery({
    config,
    fetch,
    store,
    tape,
  });
  const client = startClient({ config, isOwn, transport });
  client.recordDroppedEvent = recordDroppedEvent;

  // 3. Events and trace headers take their trace from OpenTelemetry's active span.
  setupEventContextTrace(client);
  enhanceDscWithOpenTelemetryRootSpanName(client);

  // 4. OpenTelemetry's tracer, sampled by and feeding the client.
  const provider = new WebTracerProvider({
    idGenerator,
    sampler: quietSampler(new SentrySampler(client), isOwn),
    spanProcessors: [new StreamedSpanProcessor(client, tape)],
  });

  // 5. From here on spans made through OpenTelemetry's API are real.
  const contextManager = new PageContextManager();
  provider.register({ propagator: new SentryPropagator(), contextManager });

  // 6. The page load continues the trace of the server that made the page,
  contextManager.fallback = serverTraceContext();

  // 7. and is then what everything else belongs to.
  followPageTrace(client, contextManager, (traceId) => store.update({ traceId }));
  client.addIntegration(browserTracingIntegration({
    beforeStartSpan: (span) => ({
      ...span,
      name: knownPath(new URL(span.name, location.href).pathname),
      attributes: { ...span.attributes, "sentry.source": "route" },
    }),
    shouldCreateSpanForRequest: (url) => !isOwn(url),
    // The page says itself when it navigates: a change of the fragment alone, or of an entry's
    // state, is none, and a navigation begins before the address changes.
    instrumentNavigation: false,
    // We end the page's span ourselves, in step 8.
    markBackgroundSpan: false,
    // The SDK's own mark, at every start.
    ignorePerformanceApiSpans: ["sentry-tracing-init"],
  }));

  // 8. Leaving early must not lose what is held back.
  flushWhenLoaded(client);
  flushWhenHidden(provider, client, contextManager);

  let failedBefore = false;
  const stopWatching = client.on("afterSendEvent", (event) => failedBefore ||= !event.type);
  performPending(client, pending);
  whenIdle(() => void record());
  // Not by `performance.measure`, which browser tracing would make a span of.
  store.update({ started: stretchSince(startedAt) });

  async function record(): Promise<void> {
    try {
      const { startRecording } = await import("./start_recording.ts");
      stopWatching();
      const startedAt = performance.now();
      onReplaySent(startRecording({ client, isOwn, store, failedBefore }));
      store.update({ recorderStarted: stretchSince(startedAt) });
    } catch {
      // Blocked or broken: only the recording is missing, and the page says so.
      store.update({ recording: "failed" });
    }
  }
}

const stretchSince = (at: number): Stretch => ({ at, ms: performance.now() - at });
