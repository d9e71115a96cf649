import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { type Span as SentrySpan, spanToBaggageHeader, spanToTraceHeader } from "@sentry/core";
import {
  BadRequestError,
  METHODS,
  type ObservedRoute,
  type Observer,
} from "../../server/endpoint.ts";
import { perMinute, type TakeToken } from "./token_bucket.ts";

/** Who owns OpenTelemetry's tracing: Deno (`OTEL_DENO=true`, always on Deno Deploy) or the server. Two owners lose spans. */
export type TracingOwner = "runtime" | "server";

/** Not traced: the delivery of telemetry must not cause telemetry. */
const MONITORING_PATHS = /^\/(?:monitoring|api\/\[project\]|stream|v1)(?:\/|$)/;

/** Methods that a span names. Others are untrusted text of any length. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

/** Makes a server span for each response of pages and handlers, in the caller's trace, while `takeToken` permits. */
export function observeRequests(
  owner: TracingOwner,
  takeToken: TakeToken,
  onUntraced: () => void,
  now: () => number,
) {
  const tracer = trace.getTracer("sightglass");
  /** One refused request of each method and address has a span in a minute: an exporter may repeat it forever. */
  const refused = new Map<string, TakeToken>();
  /** Context of each request that threw, for the report of its error. */
  const failed = new WeakMap<Request, Context>();

  /** A context with the request's span; undefined: no span because of a limit. */
  const open = (request: Request, path: string): Context | undefined => {
    const isKnown = KNOWN_METHODS.has(request.method);
    const name = `${isKnown ? request.method : "HTTP"} ${path}`;
    if (owner === "runtime") {
      trace.getActiveSpan()?.updateName(name).setAttribute("http.route", path);
      return context.active();
    }
    // What is traced serves only GET: a request with another method is refused, or is the preflight of one.
    if (request.method !== "GET" && request.method !== "HEAD") {
      const takeFirst = refused.getOrInsertComputed(name, () => perMinute(1, now));
      if (!takeFirst()) return undefined;
    }
    if (!takeToken()) return void onUntraced();
    const caller = callerContext(request);
    const span = tracer.startSpan(name, {
      kind: SpanKind.SERVER,
      attributes: {
        "sentry.op": "http.server",
        "sentry.source": "route",
        // https://opentelemetry.io/docs/specs/semconv/http/http-spans/
        "http.request.method": isKnown ? request.method : "_OTHER",
        "http.route": path,
        // The route instead of the request's path, which may contain secrets.
        "url.path": path,
      },
    }, caller);
    return trace.setSpan(caller, span);
  };

  const close = (span: Span | undefined, status: number) => {
    if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    // The runtime sets the other attributes of its own span and ends it.
    if (owner === "server") span?.setAttribute("http.response.status_code", status).end();
  };

  return {
    /** Undefined for routes that are not traced. */
    observe({ path, address, kind }: ObservedRoute): Observer | undefined {
      if (MONITORING_PATHS.test(path)) return undefined;
      const isPage = kind !== "handler";
      return async (request, respond, append) => {
        // Only GET serves a page; other methods get a prepared response.
        if (isPage && request.method !== "GET") return await respond();
        const opened = withoutFailing(() => open(request, address));
        if (opened === undefined) return await respond();
        const span = trace.getSpan(opened);
        let response: Response;
        try {
          response = await context.with(opened, respond);
        } catch (error) {
          failed.set(request, opened);
          withoutFailing(() => close(span, error instanceof BadRequestError ? 400 : 500));
          throw error;
        }
        withoutFailing(() => {
          close(span, response.status);
          if (isPage && span && isSampled(span)) {
            append(response, "Server-Timing", serverTiming(span));
          }
        });
        return response;
      };
    },

    /** The context of a request that threw, else the caller's. */
    contextOf: (request: Request): Context => failed.get(request) ?? callerContext(request),
  };
}

/** A failure of tracing is logged and must not fail the response. */
function withoutFailing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    console.error("Cannot trace a response:", error);
    return undefined;
  }
}

const callerContext = (request: Request) =>
  propagation.extract(ROOT_CONTEXT, Object.fromEntries(request.headers));

const isSampled = (span: Span) => (span.spanContext().traceFlags & 1) === 1;

/**
 * The `Server-Timing` header by which the page finds the trace of its own response:
 *
 * ```
 * sentry-trace;desc="<trace id>-<span id>-1", baggage;desc="sentry-environment=…,…"
 * ```
 */
function serverTiming(span: Span): string {
  const ours = span as SentrySpan;
  const timing = `sentry-trace;desc="${spanToTraceHeader(ours)}"`;
  const baggage = spanToBaggageHeader(ours);
  return baggage === undefined ? timing : `${timing}, baggage;desc="${baggage}"`;
}
