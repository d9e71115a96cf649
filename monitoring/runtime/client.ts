import { trace } from "@opentelemetry/api";
import {
  createStackParser,
  type DataCategory,
  type EventDropReason,
  linkedErrorsIntegration,
  nodeStackLineParser,
  setCurrentClient,
  type Transport,
  withStreamedSpan,
} from "@sentry/core";
import { contextLinesIntegration, DenoClient } from "@sentry/deno";
import { settings } from "../settings.ts";
import { createRelayTransport, type Deliver, type RelayTransport } from "./relay_transport.ts";
import type { Scrubber } from "./scrubber.ts";

/** Most events that the client processes at the same time. Its default of 64 drops events of a burst. */
const PROCESSING_BUFFER = 1_000;

/** Source lines before and after the line of a stack frame. */
const CONTEXT_LINES = 5;

/** URL of the requests to the relay. `.invalid` because no connection is ever opened (RFC 2606, section 2). */
const RELAY_URL = "http://relay.invalid/monitoring";

/** Given as host name, so that the SDK does not read the real one. The scrubber removes it. */
const NO_HOST_NAME = "-";

export interface StartClientOptions {
  /** Text of the DSN that receives the server's telemetry. */
  readonly dsn: string;
  readonly release?: string;
  readonly environment: string;
  readonly deliver: Deliver;
  readonly scrubber: Scrubber;
  /** Called for everything that is dropped and counted for a client report. */
  readonly onDropped: () => void;
}

export interface StartedClient {
  readonly client: RuntimeClient;
  readonly transport: RelayTransport;
}

/**
 * Starts Sentry's client for Deno without its default integrations: `init` of `@sentry/deno` would instrument
 * `Deno.serve` (every asset a transaction), patch database drivers, and collect the operating system's name.
 */
export function startClient(
  { dsn, release, environment, deliver, scrubber, onDropped }: StartClientOptions,
): StartedClient {
  let transport: RelayTransport | undefined;
  const client = new RuntimeClient(
    {
      dsn,
      // With a tunnel, the SDK writes the DSN into each envelope's header, where the relay reads it.
      tunnel: RELAY_URL,
      release,
      environment,
      serverName: NO_HOST_NAME,
      stackParser: createStackParser(nodeStackLineParser()),
      transport(options): Transport {
        transport = createRelayTransport({ ...options, deliver });
        return transport;
      },
      transportOptions: { bufferSize: PROCESSING_BUFFER },
      sendClientReports: true,

      tracesSampleRate: settings.tracesSampleRate,
      // Spans of one trace are sent together, some seconds after they ended.
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
    onDropped,
  );
  // The last step of processing: no integration adds to the event after it.
  client.on("postprocessEvent", (event) => scrubber.event(event));
  setCurrentClient(client);
  client.init();
  if (transport === undefined) throw new TypeError("Cannot start telemetry: the DSN is not valid.");
  return { client, transport };
}

/** Sentry's client for Deno. Adds what it lacks on a server: client reports of what it dropped. */
export class RuntimeClient extends DenoClient {
  readonly #onDropped: StartClientOptions["onDropped"];

  constructor(
    options: ConstructorParameters<typeof DenoClient>[0],
    onDropped: StartClientOptions["onDropped"],
  ) {
    super(options);
    this.#onDropped = onDropped;
  }

  override recordDroppedEvent(
    reason: EventDropReason,
    category: DataCategory,
    quantity = 1,
  ): void {
    super.recordDroppedEvent(reason, category, quantity);
    this.#onDropped();
  }

  /** Sends what was counted since the last call as a client report, if there is anything. */
  reportDropped(): void {
    this._flushOutcomes();
  }
}
