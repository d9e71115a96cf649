import { applySdkMetadata, initAndBind, setNormalizeStringifier } from "@sentry/core/browser";
import {
  breadcrumbsIntegration,
  BrowserClient,
  type BrowserOptions,
  defaultStackParser,
  globalHandlersIntegration,
  httpContextIntegration,
  linkedErrorsIntegration,
  normalizeStringifyValue,
  setContext,
  spanStreamingIntegration,
  withStreamedSpan,
} from "@sentry/react";
import { version } from "react";
import { settings } from "../settings.ts";
import type { ClientConfig } from "./client_config.ts";
import { type IsOwnRequest, tracedPaths } from "./own_requests.ts";
import { scrubBreadcrumb } from "./privacy/breadcrumb.ts";
import { scrubEvent } from "./privacy/event.ts";
import { scrubSpan } from "./privacy/span.ts";

type ClientOptions = ConstructorParameters<typeof BrowserClient>[0];

/** Events that the client works on at once. Its default of 64 drops what a burst brings beyond. */
const PROCESSING_BUFFER = 10_000;

export interface StartClientOptions {
  readonly config: ClientConfig;
  /** The console's own requests. */
  readonly isOwn: IsOwnRequest;
  /** Delivers and keeps envelopes. */
  readonly transport: ClientOptions["transport"];
}

/**
 * Starts Sentry's client: the six settings, where to send, and what must not leave. It is what
 * `init` of `@sentry/react` does, which would bring the integrations that are left out below all
 * the same (4 KB).
 */
export function startClient({ config, isOwn, transport }: StartClientOptions): BrowserClient {
  const options: ClientOptions & BrowserOptions = {
    dsn: config.dsn,
    tunnel: config.tunnel,
    release: config.release,
    environment: config.environment,
    transport,
    transportOptions: { bufferSize: PROCESSING_BUFFER },
    stackParser: defaultStackParser,

    tracesSampleRate: settings.tracesSampleRate,
    replaysSessionSampleRate: settings.replaysSessionSampleRate,
    replaysOnErrorSampleRate: settings.replaysOnErrorSampleRate,
    enableLogs: settings.enableLogs,
    // Nothing of ours counts or measures through the SDK.
    enableMetrics: false,

    // Spans leave as they end. Kept for one transaction, paint and layout would come too late.
    traceLifecycle: "stream",
    propagateTraceparent: true,
    tracePropagationTargets: [tracedPaths(config.monitoringPath)],

    // Left out on purpose: dropping an event that equals the one before (a second click on what is
    // broken is news, and the receipts would not add up), sessions (nothing reads them, and each costs a request), wrapped timers
    // and listeners (all code is of this origin: its errors reach the window anyway), locale and
    // time zone (personal data that explain no error), and the filter of known noise (Sentry has
    // one too, and the inbox should show what happened).
    integrations: [
      spanStreamingIntegration(),
      linkedErrorsIntegration(),
      httpContextIntegration(),
      globalHandlersIntegration(),
      // Console output was written for a developer's eye, not for sending: that is what `log` is for.
      breadcrumbsIntegration({ console: false }),
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
      frameContextLines: 0,
    },
    beforeBreadcrumb: (crumb) => scrubBreadcrumb(crumb, isOwn, location.origin),
    beforeSendSpan: withStreamedSpan((span) => scrubSpan(span, location.origin)),
  };
  applySdkMetadata(options, "react");
  // Else an element or the window itself, in what code attaches to an event, is walked through.
  setNormalizeStringifier(normalizeStringifyValue);
  const client = initAndBind(BrowserClient, options) as BrowserClient;
  setContext("react", { version });
  // After every processor, and for recordings too, which no `beforeSend` sees.
  client.on("postprocessEvent", (event) => scrubEvent(event, location.origin));
  return client;
}
