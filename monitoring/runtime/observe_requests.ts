import {
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from "@opentelemetry/api";
import type { Owner } from "./owner.ts";
import { serverTiming } from "./server_timing.ts";
import type { TokenBucket } from "./token_bucket.ts";

export type Answer = Response | Promise<Response>;

/** A place of the server whose answers are traced. */
export interface Place {
  /** The route's path. */
  readonly path: string;
  /** `handler`: code runs for each request. Anything else is a page, or a part of one. */
  readonly kind: string;
}

/** Adds a value to a header of an answer that is otherwise finished. */
type AppendHeader = (response: Response, name: string, value: string) => void;

/** Stands around one answer: calls `answer` once, and passes on what it gives or throws. */
export type Observer = (request: Request, answer: () => Answer, append: AppendHeader) => Answer;

export interface ObserveRequestsOptions {
  readonly owner: Owner;
  /** How many spans may be made. */
  readonly bucket: TokenBucket;
  /** Told of an answer that went out without its span. */
  readonly onUntraced: () => void;
  /** The status with which the server will answer what a handler threw. */
  readonly statusOf: (error: unknown) => number;
}

/** The relay's own room: what telemetry itself costs must make no telemetry. */
const RELAY = /^\/monitoring(?:\/|$)/;

/** The methods that a span names; others are whatever a stranger thought up, and as long. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const HEADERS: TextMapGetter<Headers> = {
  keys: (headers) => [...headers.keys()],
  get: (headers, name) => headers.get(name) ?? undefined,
};

/** Makes a server span around each answer of pages and handlers, in the trace of who asked. */
export class RequestObserver {
  readonly #options: ObserveRequestsOptions;
  readonly #tracer = trace.getTracer("sightglass");
  /** In which context a request failed, for the report of what it threw. */
  readonly #failed = new WeakMap<Request, Context>();

  constructor(options: ObserveRequestsOptions) {
    this.#options = options;
  }

  /** Undefined for places that are not traced. */
  observe({ path, kind }: Place): Observer | undefined {
    if (RELAY.test(path)) return undefined;
    const isPage = kind !== "handler";
    return (request, answer, append) => {
      const { method } = request;
      // A page is asked for by GET. All else is prepared and says nothing.
      if (isPage && method !== "GET") return answer();
      const opened = unharmed(() => this.#open(request, path));
      if (opened === undefined) return answer();
      return this.#around(request, opened, answer, isPage ? append : undefined);
    };
  }

  /** The context in which a request failed, or else that of who asked. */
  contextOf(request: Request): Context {
    return this.#failed.get(request) ?? callerContext(request);
  }

  /** A request's context, with its span; undefined if it is to go without. */
  #open(request: Request, path: string): Context | undefined {
    const isKnown = METHODS.has(request.method);
    const name = `${isKnown ? request.method : "HTTP"} ${path}`;
    if (this.#options.owner === "runtime") {
      const span = trace.getActiveSpan();
      span?.updateName(name);
      span?.setAttribute("http.route", path);
      return context.active();
    }
    if (!this.#options.bucket.take()) {
      this.#options.onUntraced();
      return undefined;
    }
    const caller = callerContext(request);
    const span = this.#tracer.startSpan(name, {
      kind: SpanKind.SERVER,
      attributes: {
        "sentry.op": "http.server",
        "sentry.source": "route",
        // https://opentelemetry.io/docs/specs/semconv/http/http-spans/
        "http.request.method": isKnown ? request.method : "_OTHER",
        "http.route": path,
        // Not the request's own: a parameter in it may be a secret.
        "url.path": path,
      },
    }, caller);
    return trace.setSpan(caller, span);
  }

  /** @param append undefined: the answer does not name its trace */
  #around(
    request: Request,
    opened: Context,
    answer: () => Answer,
    append: AppendHeader | undefined,
  ): Answer {
    const span = trace.getSpan(opened);
    const finish = (response: Response) => {
      if (span !== undefined) {
        unharmed(() => {
          this.#close(span, response.status);
          if (isSampled(span)) append?.(response, "Server-Timing", serverTiming(span));
        });
      }
      return response;
    };
    const fail = (error: unknown): never => {
      this.#failed.set(request, opened);
      if (span !== undefined) unharmed(() => this.#close(span, this.#options.statusOf(error)));
      throw error;
    };
    let given: Answer;
    try {
      given = context.with(opened, answer);
    } catch (error) {
      return fail(error);
    }
    return given instanceof Response ? finish(given) : given.then(finish, fail);
  }

  #close(span: Span, status: number): void {
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    // The runtime says the rest of its own span, and ends it.
    if (this.#options.owner === "runtime") return;
    span.setAttribute("http.response.status_code", status);
    span.end();
  }
}

/** Telemetry that fails is a line on the console, never an answer that fails. */
function unharmed<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    console.error("Cannot trace an answer:", error);
    return undefined;
  }
}

function callerContext(request: Request): Context {
  return propagation.extract(ROOT_CONTEXT, request.headers, HEADERS);
}

const isSampled = (span: Span) => (span.spanContext().traceFlags & 1) === 1;
