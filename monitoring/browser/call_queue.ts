import type { LogAttributes, LogLevel } from "../protocol/log_levels.ts";

/** A call of this module's API, with its time in milliseconds since 1970. */
export type Call = ErrorCall | LogCall | NavigationCall;

export interface ErrorCall {
  readonly kind: "error";
  readonly at: number;
  readonly error: unknown;
  readonly componentStack?: string;
  readonly handled: boolean;
  /** The event's id; default: a random one. */
  readonly eventId?: string;
}

export interface LogCall {
  readonly kind: "log";
  readonly at: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly attributes?: LogAttributes;
}

export interface NavigationCall {
  readonly kind: "navigation";
  readonly at: number;
  /** The target, absolute. */
  readonly url: string;
}

/** The kind of signal that a call makes. */
export const KIND_OF = { error: "errors", log: "logs", navigation: "traces" } as const;

/** Maximum calls before the SDK has started. More than this in a few seconds is a loop. */
const MAX_QUEUED = 100;

export type CallQueue = ReturnType<typeof createCallQueue>;

/**
 * Creates the bounded queue of calls that are made before the SDK has started.
 *
 * @param onQueued called after each of them
 */
export function createCallQueue(onQueued: () => void) {
  /** Oldest first. */
  let calls: Call[] = [];
  /** Calls beyond the queue's limit. */
  const none = () => ({ error: 0, log: 0, navigation: 0 });
  let overflow = none();
  let handle = (call: Call) => {
    if (calls.length < MAX_QUEUED) calls.push(call);
    else overflow[call.kind]++;
    onQueued();
  };
  const peek = () => ({ calls, overflow });
  return {
    /** Handles the call, or queues it until `open`. */
    add: (call: Call) => handle(call),
    /** Passes every later call to `next`. */
    open(next: typeof handle) {
      handle = next;
    },
    peek,
    /** Empties the queue. */
    take() {
      const taken = peek();
      calls = [];
      overflow = none();
      return taken;
    },
  };
}
