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
import { INTERNAL_RELAY_URL } from "../protocol/relay_api.ts";
import { NO_PERSONAL_DATA, settings } from "../settings.ts";
import { createRelayTransport, type RelayTransport } from "./relay_transport.ts";
import type { RuntimeOptions } from "./runtime.ts";
import type { Scrubber } from "./scrubber.ts";

/** Events that are processed at the same time. The SDK's default of 64 drops events of a burst. */
const MAX_PROCESSING_EVENTS = 1_000;

/** Lines of source code to report before and after the line of each stack frame. */
const CONTEXT_LINES = 5;

/** Replaces the machine's host name, which the SDK reads by default. The scrubber removes it. */
const NO_HOST_NAME = "-";

export interface StartClientOptions
  extends Pick<RuntimeOptions, "dsn" | "release" | "environment" | "deliver"> {
  readonly scrubber: Scrubber;
  /** Called after each drop that the next client report will count. */
  readonly onDropped: () => void;
}

interface StartedClient {
  readonly client: RuntimeClient;
  readonly transport: RelayTransport;
}

/**
 * Starts Sentry's client for Deno without its default integrations. `init` of `@sentry/deno` would
 * trace every request of an asset, patch database drivers and report the operating system's name.
 *
 * @throws {TypeError} if the DSN is not valid
 */
export function startClient(
  { dsn, release, environment, deliver, scrubber, onDropped }: StartClientOptions,
): StartedClient {
  let transport: RelayTransport | undefined;
  const client = new RuntimeClient(
    {
      dsn,
      // With a tunnel, the SDK writes the DSN into each envelope's header, where the relay reads
      // it.
      tunnel: INTERNAL_RELAY_URL,
      release,
      environment,
      serverName: NO_HOST_NAME,
      stackParser: createStackParser(nodeStackLineParser()),
      transport(options): Transport {
        transport = createRelayTransport({ ...options, deliver });
        return transport;
      },
      transportOptions: { bufferSize: MAX_PROCESSING_EVENTS },

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
        return {
          ...log,
          message: scrubber.text(String(log.message)) as typeof log.message,
          attributes,
        };
      },
    },
    onDropped,
  );
  // Scrubs in the last step of processing, after all integrations have added their data.
  client.on("postprocessEvent", (event) => scrubber.event(event));
  setCurrentClient(client);
  client.init();
  if (transport === undefined) throw new TypeError("Cannot start telemetry: the DSN is not valid.");
  return { client, transport };
}

/** Reports drops: the client of `@sentry/deno` counts them and never sends a client report. */
class RuntimeClient extends DenoClient {
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

  /** Sends a client report of the drops since the last one, if there are any. */
  reportDropped(): void {
    this._flushOutcomes();
  }
}
