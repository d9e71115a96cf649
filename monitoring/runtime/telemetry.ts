import { context } from "@opentelemetry/api";
import { isTracingSuppressed } from "@opentelemetry/core";
import {
  captureException,
  type DataCategory,
  type EventDropReason,
  getCurrentScope,
  logger,
} from "@sentry/core";
import {
  setOpenTelemetryContextAsyncContextStrategy,
  setupEventContextTrace,
} from "@sentry/opentelemetry";
import { reportCrashes } from "./crash.ts";
import { Dropped } from "./dropped.ts";
import { later } from "./later.ts";
import { logToConsole } from "./log.ts";
import { RequestObserver } from "./observe_requests.ts";
import { becomeOwner, findOwner } from "./owner.ts";
import type { Runtime, RuntimeOptions } from "./runtime.ts";
import { Scrubber } from "./scrub.ts";
import { startClient } from "./start_client.ts";
import { TokenBucket } from "./token_bucket.ts";

/**
 * Answers that are traced in a second: more than people ask for. In a flood each would be an
 * envelope to keep; so many cost a quarter of what the server can answer at most, tracing all of
 * them cost seven eighths.
 */
const SPANS = { perSecond: 200, burst: 400 };

/** Errors and log records in a second: a visitor can cause both, and the disk has an end. */
const ERRORS = { perSecond: 20, burst: 100 };
const LOGS = { perSecond: 50, burst: 200 };

/** Milliseconds from the first thing dropped until it is reported, with all that follows it until then. */
const REPORT_DROPPED_MS = 30_000;

/** Starts the server's telemetry. The order of the steps is the point. */
export function startTelemetry(options: RuntimeOptions): Runtime {
  const now = () => performance.now();
  const owner = findOwner();
  const dropped = new Dropped();
  let reporting = false;

  // 1. Scopes live in OpenTelemetry's context, whoever owns it.
  setOpenTelemetryContextAsyncContextStrategy({ skipOpenTelemetrySetup: owner === "runtime" });

  // 2. The client, which sends into the relay of this process.
  const { client, transport } = startClient({
    dsn: options.dsn,
    release: options.release,
    environment: options.environment,
    deliver: options.deliver,
    scrubber: new Scrubber({ root: options.root }),
    onDropped(reason, amount) {
      dropped.add(reason, amount);
      if (reporting) return;
      reporting = true;
      later(report, REPORT_DROPPED_MS);
    },
  });
  const report = () => {
    reporting = false;
    client.reportDropped();
  };

  // 3. Events take their trace from OpenTelemetry's active span.
  setupEventContextTrace(client);

  // 4. Spans made through OpenTelemetry's API become the client's, unless the runtime has them.
  if (owner === "us") becomeOwner();

  const drop = (category: DataCategory) =>
    // One of the protocol's reasons that the SDK's types do not list.
    client.recordDroppedEvent("backpressure" as EventDropReason, category);
  const requests = new RequestObserver({
    owner,
    bucket: new TokenBucket({ ...SPANS, now }),
    onUntraced: () => drop("span"),
    statusOf: options.statusOf,
  });
  const errors = new TokenBucket({ ...ERRORS, now });
  const logs = new TokenBucket({ ...LOGS, now });

  const flush = async (ms: number) => {
    report();
    const { promise: over, resolve } = Promise.withResolvers<boolean>();
    // The client allows so long for each of its two halves.
    const callOff = later(() => resolve(false), ms);
    return await Promise.race([client.flush(ms), over]).finally(callOff);
  };

  // 5. What ends the process is reported first.
  reportCrashes({
    report(error, ms) {
      client.captureException(error, {
        mechanism: { handled: false, type: "auto.deno.uncaught" },
        captureContext: { level: "fatal" },
      }, getCurrentScope());
      return flush(ms);
    },
  });

  return {
    observe: (place) => requests.observe(place),
    onError(error, request) {
      if (!errors.take()) return drop("error");
      console.error(error);
      context.with(requests.contextOf(request), () => {
        captureException(error, { mechanism: { handled: false, type: "auto.http.handler" } });
      });
    },
    log(level, message, attributes) {
      const isRecord = !isTracingSuppressed(context.active());
      // Not what an envelope of ours caused on its way: it would be the next envelope.
      if (isRecord && !logs.take()) return drop("log_item");
      logToConsole(level, message, attributes);
      if (isRecord) logger[level](message, { ...attributes });
    },
    get dropped() {
      return dropped.counts;
    },
    flush,
    async stop(ms) {
      await flush(ms);
      const left = transport.waiting;
      transport.abandon();
      if (left === 0) return;
      logToConsole("warn", "Envelopes of the server's own telemetry were not taken", { left });
    },
  };
}
