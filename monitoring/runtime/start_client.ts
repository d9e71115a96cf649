import { trace } from "@opentelemetry/api";
import {
  createStackParser,
  linkedErrorsIntegration,
  nodeStackLineParser,
  setCurrentClient,
  type Transport,
  withStreamedSpan,
} from "@sentry/core";
import { contextLinesIntegration } from "@sentry/deno";
import { settings } from "../settings.ts";
import type { Amount } from "./dropped.ts";
import { createRelayTransport, type Deliver, type RelayTransport } from "./relay_transport.ts";
import { RuntimeClient } from "./runtime_client.ts";
import type { Scrubber } from "./scrub.ts";

/** Events that the client works on at once. Its default of 64 drops what a burst brings beyond. */
const PROCESSING_BUFFER = 1_000;

/** Lines of the source before and after the one that failed. */
const CONTEXT_LINES = 5;

/**
 * Where the request seems to go that carries an envelope to the relay: `.invalid` because no
 * connection is ever opened (RFC 2606, section 2).
 */
const RELAY_ADDRESS = "http://relay.invalid/monitoring";

/** No host name: the SDK asks the machine for it unless it is given one, so it is given one, and taken out. */
const NO_NAME = "-";

export interface StartClientOptions {
  /** Text of the DSN that the server's telemetry goes to. */
  readonly dsn: string;
  readonly release?: string;
  readonly environment: string;
  readonly deliver: Deliver;
  readonly scrubber: Scrubber;
  /** Told of everything that is dropped. */
  readonly onDropped: (reason: string, amount: Amount) => void;
}

export interface StartedClient {
  readonly client: RuntimeClient;
  readonly transport: RelayTransport;
}

/**
 * Starts Sentry's client for Deno with what is wanted of it and nothing else. Its `init` would
 * instrument `Deno.serve` (every asset a transaction), patch half a dozen database drivers, and
 * collect the operating system's name.
 */
export function startClient(
  { dsn, release, environment, deliver, scrubber, onDropped }: StartClientOptions,
): StartedClient {
  let transport: RelayTransport | undefined;
  const client = new RuntimeClient({
    onDropped,
    client: {
      dsn,
      // Puts the DSN into each envelope's header, where the relay looks for it.
      tunnel: RELAY_ADDRESS,
      release,
      environment,
      serverName: NO_NAME,
      stackParser: createStackParser(nodeStackLineParser()),
      transport(options): Transport {
        transport = createRelayTransport({
          ...options,
          deliver,
          onLimited: (amount) => onDropped("ratelimit_backoff", amount),
          onAbandoned: (amount) => onDropped("shutdown", amount),
        });
        return transport;
      },
      transportOptions: { bufferSize: PROCESSING_BUFFER },
      sendClientReports: true,

      tracesSampleRate: settings.tracesSampleRate,
      // Spans of one trace leave together, some seconds after they ended.
      traceLifecycle: "stream",
      enableLogs: settings.enableLogs,
      enableMetrics: false,
      maxBreadcrumbs: 0,
      integrations: [
        linkedErrorsIntegration(),
        contextLinesIntegration({ frameContextLines: CONTEXT_LINES }),
      ],

      sendDefaultPii: false,
      dataCollection: {
        userInfo: false,
        cookies: false,
        httpHeaders: { request: false, response: false },
        httpBodies: [],
        urlQueryParams: false,
        graphQL: { document: false, variables: false },
        genAI: { inputs: false, outputs: false },
        databaseQueryData: false,
        stackFrameVariables: false,
      },
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
        return {
          ...log,
          message: scrubber.text(String(log.message)) as typeof log.message,
          attributes,
        };
      },
    },
  });
  // After every integration: nothing adds to the event any more.
  client.on("postprocessEvent", (event) => scrubber.event(event));
  setCurrentClient(client);
  client.init();
  if (transport === undefined) throw new TypeError("Cannot start telemetry: the DSN is none.");
  return { client, transport };
}
