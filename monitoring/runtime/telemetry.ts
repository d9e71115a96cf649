import { context, propagation, ProxyTracerProvider, trace } from "@opentelemetry/api";
import { isTracingSuppressed } from "@opentelemetry/core";
import {
  captureException,
  type DataCategory,
  type EventDropReason,
  getCurrentScope,
  logger,
} from "@sentry/core";
import {
  SentryAsyncLocalStorageContextManager,
  SentryPropagator,
  SentryTracerProvider,
  setOpenTelemetryContextAsyncContextStrategy,
  setupEventContextTrace,
} from "@sentry/opentelemetry";
import { type Log, logToConsole } from "./console_log.ts";
import { type ClientOptions, startClient } from "./runtime_client.ts";
import type { ObservedRoute, Observer } from "../../server/endpoint.ts";
import { observeRequests, type TracingOwner } from "./request_observer.ts";
import { Scrubber } from "./scrubber.ts";
import { tokenBucket } from "./token_bucket.ts";

export interface RuntimeOptions extends ClientOptions {
  /** The project's folder as a `file:` URL, ending with `/`. Reported file names are relative to it. */
  readonly root: string;
}

/** The server's own telemetry, through the relay of its own process. Code makes spans by `@opentelemetry/api`. */
export interface Runtime {
  /** Traces the responses of a route; undefined for routes that are not traced. */
  observe(route: ObservedRoute): Observer | undefined;
  /** Logs an error that a handler threw, and reports it in the trace of its request. */
  onError(error: unknown, request: Request): void;
  /** Reports an error that ends the process, and delivers what is queued, for at most `ms`. */
  reportCrash(error: unknown, ms: number): Promise<unknown>;
  readonly log: Log;
  /** Delivers what is queued, for at most `ms`; the rest stays queued. Returns whether nothing is left. */
  flush(ms: number): Promise<boolean>;
  /** As {@linkcode flush}, for the last time: the rest is dropped, which is logged. */
  stop(ms: number): Promise<void>;
}

/** Traced responses. With this limit a flood loses at most a quarter of the throughput, without it seven eighths. */
const SPANS = { perSecond: 200, burst: 400 };

/** Errors and log items. Visitors can cause both, and disk space is limited. */
const ERRORS = { perSecond: 20, burst: 100 };
const LOGS = { perSecond: 50, burst: 200 };

/** Milliseconds between client reports. Without drops there is none. */
const REPORT_DROPPED_MS = 30_000;

/** Starts the server's telemetry. The order of the steps matters: each relies on those before it. */
export function startTelemetry(options: RuntimeOptions): Runtime {
  const now = () => performance.now();
  const owner = findTracingOwner();

  // 1. Scopes are stored in OpenTelemetry's context, also where the runtime owns it.
  setOpenTelemetryContextAsyncContextStrategy({ skipOpenTelemetrySetup: owner === "runtime" });

  // 2. The client. Its transport sends to the relay of this process.
  const client = startClient(options, new Scrubber(options.root));
  // The client of `@sentry/deno` counts what is dropped and never sends a client report.
  const reportDropped = () => client["_flushOutcomes"]();
  const reports = setInterval(reportDropped, REPORT_DROPPED_MS);
  Deno.unrefTimer(reports);

  // 3. Events take their trace from OpenTelemetry's active span.
  setupEventContextTrace(client);

  // 4. Spans made through OpenTelemetry's API go to the client, unless the runtime exports them.
  if (owner === "server") {
    context.setGlobalContextManager(new SentryAsyncLocalStorageContextManager());
    propagation.setGlobalPropagator(new SentryPropagator());
    trace.setGlobalTracerProvider(new SentryTracerProvider());
  }

  const drop = (category: DataCategory) =>
    // A reason of the protocol that the SDK's types do not list.
    client.recordDroppedEvent("backpressure" as EventDropReason, category);
  const spans = tokenBucket(SPANS, now);
  const requests = observeRequests(owner, spans, () => drop("span"), now);
  const takeError = tokenBucket(ERRORS, now);
  const takeLog = tokenBucket(LOGS, now);

  const flush = async (ms: number) => {
    reportDropped();
    // Events are processed within a few milliseconds, so the timeout is that of sending.
    return await client.flush(ms);
  };

  return {
    observe: (route) => requests.observe(route),
    onError(error, request) {
      if (!takeError()) return drop("error");
      console.error(error);
      context.with(requests.contextOf(request), () => {
        captureException(error, { mechanism: { handled: false, type: "auto.http.handler" } });
      });
    },
    log(level, message, attributes) {
      // A log item about the delivery of telemetry would cause the next envelope: console only.
      const makesItem = !isTracingSuppressed(context.active());
      if (makesItem && !takeLog()) return drop("log_item");
      logToConsole(level, message, attributes);
      if (makesItem) logger[level](message, { ...attributes });
    },
    reportCrash(error, ms) {
      client.captureException(error, {
        mechanism: { handled: false, type: "auto.deno.uncaught" },
        captureContext: { level: "fatal" },
      }, getCurrentScope());
      return flush(ms);
    },
    flush,
    async stop(ms) {
      clearInterval(reports);
      if (await flush(ms)) return;
      logToConsole("warn", "The server's own telemetry was not delivered in time");
    },
  };
}

/** The runtime registers its tracer provider before any module runs. */
function findTracingOwner(): TracingOwner {
  const provider = trace.getTracerProvider();
  const isRegistered = !(provider instanceof ProxyTracerProvider) ||
    provider.getDelegateTracer("sightglass") !== undefined;
  return isRegistered ? "runtime" : "server";
}
