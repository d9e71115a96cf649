/**
 * All keepalive requests of a page may carry 64 KiB together; the one that exceeds it fails
 * (https://fetch.spec.whatwg.org/#http-network-or-cache-fetch, step 8.10.5). Larger envelopes are sent
 * without keepalive.
 */
export const KEEPALIVE_BYTES = 60_000;

export interface SendResult {
  /** HTTP status, 502 for a proxy's page; undefined: no response. */
  readonly status?: number | undefined;
  /** `Retry-After`, as received. */
  readonly retryAfter: string | null;
  /** `X-Sentry-Rate-Limits`, as received. */
  readonly rateLimits: string | null;
  /** The relay's `X-Relay-Outcome`. */
  readonly outcome?: string | undefined;
  /** `X-Sentry-Error`, or why there was no response. */
  readonly error?: string | undefined;
  /** Bytes of the bodies of all requests, compressed or not. */
  readonly sentBytes: number;
}

/**
 * Sends an envelope once. Never rejects.
 *
 * @param compress whether the body may be compressed, which is asynchronous; false: the request is made
 * during the call
 */
export type SendEnvelope = (
  bytes: Uint8Array,
  compress: boolean,
  signal?: AbortSignal,
) => Promise<SendResult>;

/** A request without a response is aborted after this time and sent again later. */
const TIMEOUT_MS = 60_000;

export interface SenderOptions {
  /** The browser's own `fetch`, from before the SDK patches it. */
  readonly fetch: typeof fetch;
  /** The tunnel's path, or the ingest's address with its key. */
  readonly url: string;
  /** Whether `url` is of the page's own origin. */
  readonly sameOrigin: boolean;
}

export function createSender({ fetch, url, sameOrigin }: SenderOptions): SendEnvelope {
  let keepaliveBytes = 0;
  // Across origins, `Content-Encoding` and the envelope's own type would need a preflight.
  let canCompress = sameOrigin && "CompressionStream" in globalThis;
  const type = {
    "Content-Type": sameOrigin ? "application/x-sentry-envelope" : "text/plain;charset=UTF-8",
  };
  const init: RequestInit = {
    method: "POST",
    // A proxy in front of this origin may require its cookie. The relay does not forward cookies.
    credentials: sameOrigin ? "same-origin" : "omit",
    // Only the origin. With "no-referrer" some browsers send `Origin: null`.
    referrerPolicy: "strict-origin",
    // A redirect to a login page would end in a 200.
    redirect: "error",
    cache: "no-store",
  };

  async function attempt(
    body: Uint8Array,
    headers: HeadersInit,
    keepalive: boolean,
    aborted?: AbortSignal,
  ): Promise<SendResult> {
    aborted?.throwIfAborted();
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    // Browsers before 2024 complete a request that was made.
    const signal = aborted && AbortSignal.any ? AbortSignal.any([timeout, aborted]) : timeout;
    const request = fetch(url, { ...init, headers, body: body as BodyInit, keepalive, signal });
    // A `fetch` that another script has replaced may ignore the signal.
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
    const response = await Promise.race([request, ended]);
    // Reads the body so that the connection can be reused; cancelling would close it. The status has arrived anyway.
    void response.arrayBuffer().catch(() => {});
    const received = (name: string) => response.headers.get(name);
    const { ok, status } = response;
    const outcome = received("X-Relay-Outcome") ?? undefined;
    // A proxy's, for maintenance or to log in. An ingest may call its empty answer a page, the relay does not.
    const isPage = received("Content-Type")?.startsWith("text/html") && (ok || status === 403);
    const isOfProxy = sameOrigin && !outcome && (isPage || status === 401);
    return {
      status: isOfProxy ? 502 : status,
      retryAfter: received("Retry-After"),
      rateLimits: received("X-Sentry-Rate-Limits"),
      outcome,
      error: isOfProxy ? "not an answer of the relay" : received("X-Sentry-Error") ?? undefined,
      sentBytes: body.length,
    };
  }

  async function post(
    body: Uint8Array,
    headers: HeadersInit,
    aborted?: AbortSignal,
  ): Promise<SendResult> {
    const { length } = body;
    const failed = (error: unknown) => noResponse(error, length);
    const keepalive = keepaliveBytes + length <= KEEPALIVE_BYTES;
    if (keepalive) keepaliveBytes += length;
    try {
      return await attempt(body, headers, keepalive, aborted);
    } catch (error) {
      // With keepalive the browser's limit may be exceeded: other tabs count too.
      if (!keepalive || !(error instanceof TypeError)) return failed(error);
    } finally {
      if (keepalive) keepaliveBytes -= length;
    }
    return await attempt(body, headers, false, aborted).catch(failed);
  }

  return async (bytes, compress, signal) => {
    if (!compress || !canCompress) return await post(bytes, type, signal);
    const body = await gzip(bytes).catch(() => undefined);
    if (body === undefined) return await post(bytes, type, signal);
    const result = await post(body, { ...type, "Content-Encoding": "gzip" }, signal);
    if (result.status !== 400 && result.status !== 415) return result;
    // The envelope may be valid: a proxy has decompressed the body, or the relay cannot.
    const plain = await post(bytes, type, signal);
    if ((plain.status ?? 500) < 300) canCompress = false;
    return { ...plain, sentBytes: body.length + bytes.length };
  };
}

/** Compresses. With a writer it takes half the main-thread time of `pipeThrough`. */
async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  const { readable, writable } = new CompressionStream("gzip");
  const writer = writable.getWriter();
  const [compressed] = await Promise.all([
    new Response(readable).arrayBuffer(),
    writer.write(bytes as BufferSource),
    writer.close(),
  ]);
  return new Uint8Array(compressed);
}

function noResponse(error: unknown, sentBytes: number): SendResult {
  const isTimeout = error instanceof DOMException && error.name === "TimeoutError";
  return {
    // Without a connection nothing was sent.
    sentBytes: isTimeout ? sentBytes : 0,
    retryAfter: null,
    rateLimits: null,
    error: isTimeout ? `no response within ${TIMEOUT_MS / 1000} s` : "no connection",
  };
}
