import type { TransportMakeRequestResponse } from "@sentry/core/browser";

/**
 * All keepalive requests of a page may carry 64 KiB together; the one that exceeds it fails
 * (https://fetch.spec.whatwg.org/#http-network-or-cache-fetch, step 8.10.5). Larger envelopes are sent
 * without keepalive.
 */
export const KEEPALIVE_BYTES = 60_000;

/** The result of one attempt to send an envelope. */
export interface SendResult {
  /** HTTP status; undefined: no response. */
  readonly status?: number | undefined;
  /** `Retry-After`, as received. */
  readonly retryAfter: string | null;
  /** `X-Sentry-Rate-Limits`, as received. */
  readonly rateLimits: string | null;
  /** The relay's `X-Relay-Outcome`. */
  readonly outcome?: string | undefined;
  /** `X-Sentry-Error`, or why there was no response. */
  readonly error?: string | undefined;
}

/** Sends an envelope once. Never rejects. */
export type SendEnvelope = (bytes: Uint8Array) => Promise<SendResult>;

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

/** Creates the sender for one address. */
export function createSender({ fetch, url, sameOrigin }: SenderOptions): SendEnvelope {
  let keepaliveBytes = 0;
  const init: RequestInit = {
    method: "POST",
    headers: {
      // Across origins the envelope's own type would need a preflight. The ingest accepts both.
      "Content-Type": sameOrigin ? "application/x-sentry-envelope" : "text/plain;charset=UTF-8",
    },
    // A proxy in front of this origin may require its cookie. The relay does not forward cookies.
    credentials: sameOrigin ? "same-origin" : "omit",
    // Only the origin. With "no-referrer" some browsers send `Origin: null`.
    referrerPolicy: "strict-origin",
    // A redirect to a login page would end in a 200.
    redirect: "error",
    cache: "no-store",
  };

  async function attempt(body: Uint8Array, keepalive: boolean): Promise<SendResult> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { ...init, body: body as BodyInit, keepalive, signal });
    // Reads the body so that the connection can be reused; cancelling would close it.
    void response.arrayBuffer().catch(
      () => {/* The connection was lost; the status has arrived. */},
    );
    const { status, headers } = response;
    return {
      status,
      retryAfter: headers.get("Retry-After"),
      rateLimits: headers.get("X-Sentry-Rate-Limits"),
      outcome: headers.get("X-Relay-Outcome") ?? undefined,
      error: headers.get("X-Sentry-Error") ?? undefined,
    };
  }

  return async (bytes) => {
    const keepalive = keepaliveBytes + bytes.length <= KEEPALIVE_BYTES;
    if (keepalive) keepaliveBytes += bytes.length;
    try {
      return await attempt(bytes, keepalive);
    } catch (error) {
      // With keepalive the browser's limit may be exceeded: other tabs count too.
      if (!keepalive || !(error instanceof TypeError)) return noResponse(error);
    } finally {
      if (keepalive) keepaliveBytes -= bytes.length;
    }
    return await attempt(bytes, false).catch(noResponse);
  };
}

function noResponse(error: unknown): SendResult {
  const isTimeout = error instanceof DOMException && error.name === "TimeoutError";
  return {
    retryAfter: null,
    rateLimits: null,
    error: isTimeout ? `no response within ${TIMEOUT_MS / 1000} s` : "no connection",
  };
}

/** The result in the form that Sentry's client and recorder read. */
export function toTransportResponse(
  { status, rateLimits, retryAfter }: SendResult,
): TransportMakeRequestResponse {
  return {
    statusCode: status,
    headers: {
      "x-sentry-rate-limits": rateLimits,
      // On a 503 it is the relay's; the SDK would read it as a rate limit and drop new events.
      "retry-after": status === 429 ? retryAfter : null,
    },
  };
}
