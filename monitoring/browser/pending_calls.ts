/** Sentry's log levels, least urgent first. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "fatal";

export type LogAttributes = Readonly<Record<string, string | number | boolean>>;

/** A call of the page, with the time at which it was made (milliseconds since the epoch). */
export type Call = ErrorCall | LogCall | NavigationCall;

export interface ErrorCall {
  readonly kind: "error";
  readonly at: number;
  readonly error: unknown;
  readonly componentStack?: string;
  readonly handled: boolean;
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
  /** Where to, absolute. */
  readonly url: string;
}

/** Calls made before the SDK is there. More than this in the first seconds is a loop, not news. */
const MAX_PENDING = 100;

/** How many calls of each kind found no room. */
export type Overflow = Readonly<Record<Call["kind"], number>>;

export interface PendingCalls {
  /** Passes the call on, or keeps it until `open`. */
  add(call: Call): void;
  /** Hands over what was kept; from now on every call goes to `perform`. */
  open(perform: (call: Call) => void): void;
  /** What was kept so far, oldest first, and how many found no room; empties the queue. */
  take(): { readonly calls: readonly Call[]; readonly overflow: Overflow };
}

/** Creates the bounded queue between the page's calls and an SDK that loads late. */
export function createPendingCalls(): PendingCalls {
  let calls: Call[] = [];
  const none = () => ({ error: 0, log: 0, navigation: 0 });
  let overflow = none();
  let perform = (call: Call) => {
    if (calls.length < MAX_PENDING) calls.push(call);
    else overflow[call.kind]++;
  };
  return {
    add: (call) => perform(call),
    open(next) {
      perform = next;
    },
    take() {
      const taken = { calls, overflow };
      calls = [];
      overflow = none();
      return taken;
    },
  };
}
