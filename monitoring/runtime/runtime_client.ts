import { context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { suppressTracing } from "@opentelemetry/core";
import {
  type BaseTransportOptions,
  createStackParser,
  createTransport,
  linkedErrorsIntegration,
  nodeStackLineParser,
  setCurrentClient,
  type Transport,
  withStreamedSpan,
} from "@sentry/core";
import { contextLinesIntegration, DenoClient } from "@sentry/deno";
import { OWN_TELEMETRY } from "../protocol/own_telemetry.ts";
import { INTERNAL_RELAY_URL } from "../protocol/relay_api.ts";
import { NO_PERSONAL_DATA, settings } from "../settings.ts";
import type { Scrubber } from "./scrubber.ts";

/** Events that are processed, and envelopes that are sent, at the same time. The SDK's default of 64 drops a burst. */
const MAX_CONCURRENT = 1_000;

const CONTEXT_LINES = 5;

/** Replaces the machine's host name, which the SDK reads by default. The scrubber removes it. */
const NO_HOST_NAME = "-";

export interface ClientOptions {
  /** Text of the DSN that receives the server's own telemetry. */
  readonly dsn: string;
  readonly release?: string;
  readonly environment: string;
  readonly deliver: (request: Request) => Promise<Response>;
}

/**
 * Starts Sentry's client for Deno without its default integrations: `init` of `@sentry/deno` would trace each asset, patch
 * database drivers and report the operating system's name. @throws {TypeError} the DSN is not valid
 */
export function startClient(
  { dsn, release, environment, deliver }: ClientOptions,
  scrubber: Scrubber,
): DenoClient {
  const client = new DenoClient(
    {
      dsn,
      // With a tunnel, the SDK writes the DSN into each envelope's header, where the relay reads it.
      tunnel: INTERNAL_RELAY_URL,
      release,
      environment,
      serverName: NO_HOST_NAME,
      stackParser: createStackParser(nodeStackLineParser()),
      transport: (options) => createRelayTransport(options, deliver),
      transportOptions: { bufferSize: MAX_CONCURRENT },

      tracesSampleRate: settings.tracesSampleRate,
      // Streams spans: those of one trace are sent together, some seconds after they ended.
      traceLifecycle: "stream",
      enableLogs: settings.enableLogs,
      enableMetrics: false,
      maxBreadcrumbs: 0,
      sendClientReports: true,
      integrations: [
        linkedErrorsIntegration(),
        contextLinesIntegration({ frameContextLines: CONTEXT_LINES }),
      ],

      sendDefaultPii: false,
      dataCollection: NO_PERSONAL_DATA,
      beforeSendSpan: withStreamedSpan((span) => {
        span.name = scrubber.text(span.name);
        span.attributes = scrubber.attributes(span.attributes ?? {});
        return span;
      }),
      beforeSendLog: (log) => {
        const attributes = scrubber.attributes({ ...log.attributes });
        delete attributes["server.address"];
        const span = trace.getActiveSpan();
        if (span) attributes["sentry.trace.parent_span_id"] = span.spanContext().spanId;
        const message = scrubber.text(String(log.message)) as typeof log.message;
        return { ...log, message, attributes };
      },
    },
  );
  client.on("beforeEnvelope", ([header]) => Object.assign(header, OWN_TELEMETRY));
  // Scrubs in the last step of processing, after all integrations have added their data.
  client.on("postprocessEvent", (event) => scrubber.event(event));
  setCurrentClient(client);
  client.init();
  if (client.getTransport() === undefined) {
    throw new TypeError("Cannot start telemetry: the DSN is not valid.");
  }
  return client;
}

/**
 * Sentry's transport to the relay of the same process. Sends each envelope once: the relay has a spool. What the relay does
 * not take is lost, and the SDK counts it for the next client report.
 */
export function createRelayTransport(
  options: BaseTransportOptions,
  deliver: ClientOptions["deliver"],
): Transport {
  const { url, headers } = options;
  return createTransport(options, async ({ body }) => {
    const request = new Request(url, { method: "POST", headers, body: body as BodyInit });
    // Without a request's context: delivery is not part of its trace, and errors in it must not cause further envelopes.
    const response = await context.with(suppressTracing(ROOT_CONTEXT), () => deliver(request));
    await response.body?.cancel();
    // The SDK counts a loss if this throws. With 429 the ingest has counted it.
    if (!response.ok && response.status !== 429) {
      throw new Error(`The relay answered ${response.status}`);
    }
    return {
      statusCode: response.status,
      headers: {
        "x-sentry-rate-limits": response.headers.get("x-sentry-rate-limits"),
        "retry-after": response.headers.get("retry-after"),
      },
    };
  });
}
