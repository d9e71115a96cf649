/**
 * The first inline script of the document. It keeps what fails before any other script has loaded;
 * the events themselves know when they happened. It is plain old JavaScript on one line, since its
 * hash stands in the page's Content-Security-Policy and its bytes in the first round trip.
 */
export const earlyScript =
  `!function(w,q){w.__early=q=[];q.f=function(e){q.length<50?q.push(e):q.n=-~q.n};` +
  `w.addEventListener("error",q.f);w.addEventListener("unhandledrejection",q.f)}(self)`;

/** An error event from before the SDK, and when it was thrown. */
export interface EarlyError {
  readonly event: ErrorEvent | PromiseRejectionEvent;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

interface EarlyQueue extends Array<ErrorEvent | PromiseRejectionEvent> {
  /** The listener of both events. */
  f: (event: Event) => void;
  /** Events that found no room. */
  n?: number;
}

/**
 * Hands over what the inline script kept, once.
 *
 * @param stop takes its listeners away, so that from here on an error is reported by the SDK's own
 * handlers alone
 */
export function takeEarlyErrors(
  stop = true,
): { errors: readonly EarlyError[]; overflow: number } {
  const scope = globalThis as typeof globalThis & { __early?: EarlyQueue };
  const queue = scope.__early;
  if (!queue) return { errors: [], overflow: 0 };
  if (stop) {
    delete scope.__early;
    scope.removeEventListener("error", queue.f);
    scope.removeEventListener("unhandledrejection", queue.f);
  }
  const overflow = queue.n ?? 0;
  queue.n = 0;
  const errors = queue.splice(0).map((event) => ({
    event,
    at: performance.timeOrigin + event.timeStamp,
  }));
  return { errors, overflow };
}
