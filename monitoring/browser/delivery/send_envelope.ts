/**
 * A browser lets the requests that outlive their page carry 64 KiB together
 * (https://fetch.spec.whatwg.org/#http-network-or-cache-fetch, step 8.10.5) and fails the one that
 * is too much. It counts bytes, not characters. Further envelopes are sent without keepalive.
 */
export const KEEPALIVE_BYTES = 60_000;

/** What came back of one attempt. */
export interface Answer {
  /** HTTP status; undefined: there was no answer. */
  readonly status?: number | undefined;
  /** `Retry-After`, as it came. */
  readonly retryAfter: string | null;
  /** `X-Sentry-Rate-Limits`, as it came. */
  readonly rateLimits: string | null;
  /** The relay's `X-Relay-Outcome`. */
  readonly outcome?: string | undefined;
  /** The reason that came with the answer, or why there was none. */
  readonly error?: string | undefined;
}

/** Sends an envelope once. Never rejects. */
export type SendEnvelope = (bytes: Uint8Array) => Promise<Answer>;

/** The time after which a request that hangs is given up and tried again later. */
const TIMEOUT_MS = 60_000;

export interface SenderOptions {
  /** The browser's own `fetch`, from before anything patched it. */
  readonly fetch: typeof fetch;
  /** The tunnel's path, or the ingest's address with its key. */
  readonly url: string;
  /** Whether `url` is of the page's own origin. */
  readonly sameOrigin: boolean;
}

/** Creates the sender for one address. */
export function createSender({ fetch, url, sameOrigin }: SenderOptions): SendEnvelope {
  /** Bytes under way with keepalive. */
  let carried = 0;
  const init: RequestInit = {
    method: "POST",
    headers: {
      // Its own type needs a preflight across origins, on every page load; the ingest takes both.
      "Content-Type": sameOrigin ? "application/x-sentry-envelope" : "text/plain;charset=UTF-8",
    },
    // A proxy before this origin may ask for its cookie. The relay passes none on.
    credentials: sameOrigin ? "same-origin" : "omit",
    // The origin alone. "no-referrer" would make some browsers send `Origin: null`.
    referrerPolicy: "strict-origin",
    // A log-in page answers 200 too: an envelope is not delivered by being led elsewhere.
    redirect: "error",
    cache: "no-store",
  };

  async function attempt(body: Uint8Array, keepalive: boolean): Promise<Answer> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { ...init, body: body as BodyInit, keepalive, signal });
    // Nobody needs it; unread it would hold its connection, cancelled it would close it.
    void response.arrayBuffer().catch(() => {/* The connection went first. */});
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
    const keepalive = carried + bytes.length <= KEEPALIVE_BYTES;
    if (keepalive) carried += bytes.length;
    try {
      return await attempt(bytes, keepalive);
    } catch (error) {
      // With keepalive it may be the browser's account that is full: other tabs count too.
      if (!keepalive || !(error instanceof TypeError)) return unanswered(error);
    } finally {
      if (keepalive) carried -= bytes.length;
    }
    return await attempt(bytes, false).catch(unanswered);
  };
}

function unanswered(error: unknown): Answer {
  const timedOut = error instanceof DOMException && error.name === "TimeoutError";
  return {
    retryAfter: null,
    rateLimits: null,
    error: timedOut ? `no answer within ${TIMEOUT_MS / 1000} s` : "no connection",
  };
}
