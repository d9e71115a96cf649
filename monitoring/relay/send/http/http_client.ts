import { type Dispatcher, Pool } from "undici";
import { Deadlines } from "../../../protocol/deadlines.ts";
import { joinBytes } from "../../../protocol/join_bytes.ts";
import { connectorFor, ProxyError } from "./connect.ts";
import { type Proxies, proxyAuthorization, proxyFor } from "./proxies.ts";

interface HttpClientOptions {
  /** To one origin; further requests wait. */
  readonly maxConnections: number;
  /** Idle connections are then closed: a load balancer or NAT may have dropped them without notice. */
  readonly maxIdleMs: number;
  /** To connect. The end of the request does not end it: others may use the connection. */
  readonly connectTimeoutMs: number;
  readonly proxies?: Proxies;
}

export interface HttpRequest {
  readonly url: URL;
  /** Values have characters up to U+00FF and no line breaks (RFC 9110, section 5.5). */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Milliseconds until the last byte of the response, including the wait for a connection. */
  readonly timeoutMs: number;
  /** Called when there is a connection. An error it throws ends the request before anything is sent. */
  readonly beforeSending?: () => void;
  /** Aborts the request, which rejects with its reason. `abort` then does not apply to it. */
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: HeaderReader;
  /** Undefined if it is incomplete or larger than {@linkcode MAX_BODY_BYTES}. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** The part of `Headers` that reading a response needs. */
export type HeaderReader = Pick<Headers, "get">;

/** A request got no response; `cause` is the reason. */
export class RequestFailedError extends Error {
  override readonly name = "RequestFailedError";
  /** @param wasSent whether any byte of it may have arrived */
  constructor(readonly wasSent: boolean, cause: unknown) {
    super("The request got no response.", { cause });
  }
}

export class ResponseTimeoutError extends Error {
  override readonly name = "ResponseTimeoutError";
  constructor(
    readonly phase: "connecting" | "waiting for the response",
  ) {
    super(`The time is up: ${phase}.`);
  }
}

export class ClientAbortedError extends Error {
  override readonly name = "ClientAbortedError";
}

const MAX_HEAD_BYTES = 64 * 1024;

/** A response body is an id or a sentence. A larger one is discarded. */
const MAX_BODY_BYTES = 64 * 1024;

interface Origin {
  readonly pool: Pool;
  /** The proxy that gets `http:` requests; undefined also for `https:`, whose connections are tunnels through it. */
  readonly proxy: URL | undefined;
}

/** Milliseconds between two checks for requests whose time is up. */
const CHECK_MS = 50;

export type HttpClient = ReturnType<typeof createHttpClient>;

/** Sends `POST` requests over persistent connections. Redirects are not followed. */
export function createHttpClient(
  { maxConnections, maxIdleMs, connectTimeoutMs, proxies }: HttpClientOptions,
) {
  const origins = new Map<string, Origin>();
  const running = new Deadlines<Exchange>(CHECK_MS, (exchange) => {
    const phase = exchange.isSent ? "waiting for the response" : "connecting";
    exchange.end(new RequestFailedError(exchange.isSent, new ResponseTimeoutError(phase)));
  });
  let isClosed = false;

  return { post, abort };

  /**
   * Sends a request; once more if its connection is lost before a response. A server may close an idle connection just
   * as it is reused (RFC 9112, section 9.3.1). If the time is up after the status was received, resolves with a response
   * without a body.
   *
   * @throws {RequestFailedError | ClientAbortedError}, errors of `beforeSending`, and the signal's reason
   */
  async function post(request: HttpRequest): Promise<HttpResponse> {
    const deadline = performance.now() + request.timeoutMs;
    try {
      return await attempt(request, deadline);
    } catch (error) {
      if (!(error instanceof RequestFailedError && isLost(error.cause))) throw error;
      return await attempt(request, deadline);
    }
  }

  async function attempt(request: HttpRequest, deadline: number): Promise<HttpResponse> {
    const { url, signal } = request;
    signal?.throwIfAborted();
    const origin = originOf(url);
    const exchange = new Exchange(request, deadline);
    const onAbort = () => exchange.end(signal!.reason);
    signal?.addEventListener("abort", onAbort);
    running.add(exchange);
    try {
      origin.pool.dispatch(optionsOf(request, origin.proxy), exchange);
      const response = await exchange.response;
      if (origin.proxy && response.status === 407) {
        throw new RequestFailedError(false, new ProxyError(response.status));
      }
      return response;
    } finally {
      running.delete(exchange);
      signal?.removeEventListener("abort", onAbort);
      if (isClosed) {
        running.check();
        void origin.pool.close().catch(() => {});
      }
    }
  }

  /** Closes idle connections now, the others after their responses. Ends all requests without a signal. */
  function abort(): void {
    isClosed = true;
    for (const exchange of running.all()) {
      if (!exchange.request.signal) exchange.end(new ClientAbortedError("The client ended."));
    }
    for (const { pool } of origins.values()) void pool.close().catch(() => {});
    origins.clear();
    running.check();
  }

  function originOf(url: URL): Origin {
    let origin = origins.get(url.origin);
    if (origin === undefined) {
      const proxy = proxies && proxyFor(url, proxies);
      const pool = new Pool(url.origin, {
        connections: maxConnections,
        // Longer than the timeout of the request that waits for it, whose error names the phase.
        connect: connectorFor(url, proxy, connectTimeoutMs + 2 * CHECK_MS),
        maxHeaderSize: MAX_HEAD_BYTES,
        keepAliveTimeout: maxIdleMs,
        keepAliveMaxTimeout: maxIdleMs,
        // One deadline covers all phases.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      origin = { pool, proxy: url.protocol === "http:" ? proxy : undefined };
      if (!isClosed) origins.set(url.origin, origin);
    }
    return origin;
  }
}

class Exchange implements Dispatcher.DispatchHandler {
  slot = 0;
  readonly #result = Promise.withResolvers<HttpResponse>();
  readonly response = this.#result.promise;
  #controller: Dispatcher.DispatchController | undefined;
  #endedWith: Error | undefined;
  #status = 0;
  #headers: Record<string, string | string[] | undefined> = {};
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;

  /** @param deadline milliseconds of `performance.now()` */
  constructor(readonly request: HttpRequest, readonly deadline: number) {}

  /** Whether any byte of the request may have arrived. */
  get isSent(): boolean {
    return this.#controller !== undefined;
  }

  /** Ends the attempt early. A status that was received counts. */
  end(reason: Error): void {
    if (this.#status !== 0) this.#resolve(undefined);
    else this.#result.reject(reason);
    this.#endedWith = reason;
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // What is thrown here ends the request and keeps the connection.
    if (this.#endedWith) throw this.#endedWith;
    try {
      this.request.beforeSending?.();
    } catch (error) {
      this.#result.reject(error);
      throw error;
    }
    this.#controller = controller;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // An interim response (RFC 9110, section 15.2): the final one follows.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    // A body over the limit is read, to keep the connection usable, and discarded.
    if (this.#bytes <= MAX_BODY_BYTES) this.#chunks.push(new Uint8Array(chunk));
    else this.#chunks = [];
  }

  onResponseEnd(): void {
    const isKept = this.#bytes <= MAX_BODY_BYTES;
    this.#resolve(isKept ? joinBytes(this.#chunks, this.#bytes) : undefined);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#status !== 0) return this.#resolve(undefined);
    this.#result.reject(new RequestFailedError(this.isSent, error));
  }

  #resolve(body: HttpResponse["body"]): void {
    const headers = this.#headers;
    this.#result.resolve({
      status: this.#status,
      headers: {
        get(name) {
          const value = headers[name.toLowerCase()];
          return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
        },
      },
      body,
    });
  }
}

/** A proxy for `http:` gets the absolute URL (RFC 9112, section 3.2.2). */
function optionsOf({ url, headers, body }: HttpRequest, proxy: URL | undefined) {
  const authorization = proxy && proxyAuthorization(proxy);
  return {
    method: "POST",
    path: `${proxy ? url.origin : ""}${url.pathname}${url.search}`,
    headers: authorization === undefined
      ? headers
      : { ...headers, "proxy-authorization": authorization },
    body,
  } satisfies Dispatcher.DispatchOptions;
}

function isLost(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return ["UND_ERR_SOCKET", "ECONNRESET", "EPIPE", "ECONNABORTED"].includes(String(code));
}
