import type { Attributes } from "@opentelemetry/api";
import { type Sampler, SamplingDecision } from "@opentelemetry/sdk-trace-web";

/*
 * Requests of monitoring itself (envelopes, inbox, live rows) make no spans, no breadcrumbs and no
 * recording entries: otherwise each would cause further requests, without end.
 */

/** The relay is available here whatever `MONITORING_PATH` is. */
const FIXED_PATH = "/monitoring";

/** Whether an address is one of monitoring's own requests. */
export type IsMonitoringRequest = (address: string) => boolean;

/**
 * Creates the check for one page.
 *
 * @param monitoringPath the configured path, such as "/monitoring"
 * @param pageUrl the base of relative addresses
 */
export function createIsMonitoringRequest(
  monitoringPath: string,
  pageUrl: string,
): IsMonitoringRequest {
  const { origin } = new URL(pageUrl);
  const paths = monitoringPaths(monitoringPath);
  return (address) => {
    const url = URL.parse(address, pageUrl);
    if (url?.origin !== origin) return false;
    return paths.some((path) => url.pathname === path || url.pathname.startsWith(`${path}/`));
  };
}

/** Matches the paths of this origin that may receive trace headers: all except monitoring's. */
export function tracedPaths(monitoringPath: string): RegExp {
  const excluded = monitoringPaths(monitoringPath).map((path) => escapeForRegExp(path.slice(1)));
  return new RegExp(`^/(?!(?:${excluded.join("|")})(?:/|$))`);
}

const monitoringPaths = (configured: string) =>
  [FIXED_PATH, configured.replace(/\/+$/, "")].filter(Boolean);

/** `RegExp.escape` (2025) is too recent to rely on. */
function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** Milliseconds in which a page counts as loading, also on a slow device and network. */
const LOADING_MS = 30_000;

/** Whether the page loads, or the user did something in the last seconds. */
const isInUse = () => performance.now() < LOADING_MS || navigator.userActivation?.isActive === true;

/**
 * Excludes monitoring's requests, also where browser tracing makes a span of a performance entry (the
 * only trace of an `EventSource`), and long frames of a page that is not in use: on a slow machine each
 * row that arrives takes one to draw. The SDK's `ignoreSpans` would count each in a client report.
 *
 * @param sampler decides for all other spans
 */
export function withoutOwnActivity(
  sampler: Sampler,
  isMonitoringRequest: IsMonitoringRequest,
): Sampler {
  return {
    shouldSample(context, traceId, name, kind, attributes, links) {
      const isLongFrame = attributes["sentry.op"] === "ui.long-animation-frame";
      if (isLongFrame && !isInUse() || isMonitoringRequest(addressOf(attributes) ?? "")) {
        return { decision: SamplingDecision.NOT_RECORD };
      }
      return sampler.shouldSample(context, traceId, name, kind, attributes, links);
    },
    toString: () => `WithoutOwnActivity(${sampler})`,
  };
}

function addressOf(attributes: Attributes): string | undefined {
  const op = String(attributes["sentry.op"] ?? "");
  if (!op.startsWith("resource.") && op !== "http.client") return undefined;
  const address = attributes["url.full"] ?? attributes["http.url"] ?? attributes["url"];
  return typeof address === "string" ? address : undefined;
}
