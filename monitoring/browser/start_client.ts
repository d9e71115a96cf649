import { applySdkMetadata, initAndBind, setNormalizeStringifier } from "@sentry/core/browser";
import {
  breadcrumbsIntegration,
  BrowserClient,
  type BrowserOptions,
  defaultStackParser,
  httpContextIntegration,
  linkedErrorsIntegration,
  normalizeStringifyValue,
  setContext,
  spanStreamingIntegration,
  withStreamedSpan,
} from "@sentry/react";
import { version } from "react";
import { NO_PERSONAL_DATA, settings } from "../settings.ts";
import type { ClientConfig } from "./client_config.ts";
import type { Consent } from "./consent.ts";
import { type IsMonitoringRequest, tracedPaths } from "./monitoring_requests.ts";
import { scrubBreadcrumb, scrubEvent } from "./privacy/event.ts";
import { scrubSpan } from "./privacy/span.ts";
import { slimSpan } from "./slim_span.ts";

type ClientOptions = ConstructorParameters<typeof BrowserClient>[0];

/**
 * Breadcrumbs of an event: the last steps before an error. With the SDK's 100, an event of a burst is 16 KB, which is
 * serialized, stored and sent each time.
 */
const MAX_BREADCRUMBS = 30;
/** Events that the client processes concurrently. The default of 64 drops events of a burst. */
const PROCESSING_BUFFER = 10_000;

interface StartClientOptions {
  readonly config: ClientConfig;
  readonly isMonitoringRequest: IsMonitoringRequest;
  readonly transport: ClientOptions["transport"];
  readonly consent: Consent;
}

/**
 * Starts Sentry's client with the settings, the transport and the privacy filters. Does the same as
 * `init` of `@sentry/react`, which would add the integrations that are left out below (4 KB). It captures no
 * errors before `globalHandlersIntegration` is added.
 */
export function startClient(
  { config, isMonitoringRequest, transport, consent }: StartClientOptions,
): BrowserClient {
  const options: ClientOptions & BrowserOptions = {
    dsn: config.dsn,
    tunnel: config.tunnel,
    release: config.release,
    environment: config.environment,
    transport,
    transportOptions: { bufferSize: PROCESSING_BUFFER },
    stackParser: defaultStackParser,
    maxBreadcrumbs: MAX_BREADCRUMBS,

    tracesSampleRate: settings.tracesSampleRate,
    replaysSessionSampleRate: settings.replaysSessionSampleRate,
    replaysOnErrorSampleRate: settings.replaysOnErrorSampleRate,
    enableLogs: settings.enableLogs,
    // The page uses no metrics.
    enableMetrics: false,

    // Sends spans as they end: paint and layout spans would miss their transaction.
    traceLifecycle: "stream",
    propagateTraceparent: true,
    tracePropagationTargets: [tracedPaths(config.monitoringPath)],

    // Left out on purpose: dedupe (a repeated error is information, and receipts would not add up),
    // sessions (unused, one request each), wrapped timers and listeners (errors of same-origin code
    // reach the window anyway), locale and time zone (personal data), and inbound filters (Sentry has
    // them too, and the inbox should show everything).
    integrations: [
      spanStreamingIntegration(),
      linkedErrorsIntegration(),
      httpContextIntegration(),
      // Console output may hold personal data; `log` is for what may be sent.
      breadcrumbsIntegration({ console: false }),
    ],

    sendDefaultPii: false,
    dataCollection: { ...NO_PERSONAL_DATA, frameContextLines: 0 },
    beforeBreadcrumb: (crumb) => scrubBreadcrumb(crumb, isMonitoringRequest, location.origin),
    beforeSendSpan: withStreamedSpan((span) => scrubSpan(slimSpan(span), location.origin)),
  };
  applySdkMetadata(options, "react");
  // Without it, the SDK serializes DOM elements and the window property by property.
  setNormalizeStringifier(normalizeStringifyValue);
  const client = initAndBind(BrowserClient, options) as BrowserClient;
  setContext("react", { version });
  // Runs after all event processors, and for replay events too, unlike `beforeSend`.
  client.on("postprocessEvent", (event) => {
    scrubEvent(event, location.origin);
    // Without steps from before errors were granted.
    event.breadcrumbs = event.breadcrumbs?.filter(({ timestamp = 0 }) =>
      consent.allows("errors", timestamp * 1000)
    );
  });
  return client;
}
