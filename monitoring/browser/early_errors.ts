/**
 * The document's first inline script. It queues errors until the SDK has loaded; the events know their
 * time. ES5 on one line: its hash is part of the page's Content-Security-Policy, and its bytes of the
 * first round trip.
 */
export const earlyScript =
  `!function(w,q){w.__early=q=[];q.f=function(e){q.length<50?q.push(e):q.n=-~q.n};` +
  `w.addEventListener("error",q.f);w.addEventListener("unhandledrejection",q.f)}(self)`;

/** An error event from before the SDK has started. */
export interface EarlyError {
  readonly event: ErrorEvent | PromiseRejectionEvent;
  /** When it was thrown, milliseconds since 1970. */
  readonly at: number;
}

interface EarlyQueue extends Array<ErrorEvent | PromiseRejectionEvent> {
  /** The listener of both events. */
  f: (event: Event) => void;
  /** Number of events beyond the queue's limit. */
  n?: number;
}

const scope = globalThis as typeof globalThis & { __early?: EarlyQueue };

/** Errors, and how many more were thrown than the queue can hold. */
interface EarlyErrors {
  readonly errors: readonly EarlyError[];
  readonly overflow: number;
}

/** The errors in the queue of the inline script, which stay there. */
export function peekEarlyErrors(): EarlyErrors {
  const queue: EarlyQueue | undefined = scope.__early;
  const errors = (queue ?? []).map((event) => ({
    event,
    at: performance.timeOrigin + event.timeStamp,
  }));
  return { errors, overflow: queue?.n ?? 0 };
}

/** Ends the queue: from here on the SDK's own handlers report errors. Returns what it had. */
export function takeEarlyErrors(): EarlyErrors {
  const early = peekEarlyErrors();
  const queue = scope.__early;
  if (queue) {
    delete scope.__early;
    scope.removeEventListener("error", queue.f);
    scope.removeEventListener("unhandledrejection", queue.f);
  }
  return early;
}
