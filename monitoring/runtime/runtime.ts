import type { Log } from "./log.ts";
import { logToConsole } from "./log.ts";
import type { Observer, Place } from "./observe_requests.ts";
import type { Deliver } from "./relay_transport.ts";

export interface RuntimeOptions {
  /** Text of the DSN that the server's own telemetry goes to. */
  readonly dsn: string;
  readonly release?: string;
  readonly environment: string;
  /** The project's folder as a `file:` URL, ending with `/`: what is reported names files from there on. */
  readonly root: string;
  /** Hands an envelope to the relay, as a request that nobody sent. */
  readonly deliver: Deliver;
  /** The status with which the server will answer what a handler threw. */
  readonly statusOf: (error: unknown) => number;
}

/** The server's own telemetry. */
export interface Runtime {
  /** Who stands around a place's answers and traces them; undefined for places that are not traced. */
  observe(place: Place): Observer | undefined;
  /** Tells on the console what a handler threw, and reports it in the trace of its request. */
  onError(error: unknown, request: Request): void;
  readonly log: Log;
  /** What was not delivered since the start, such as `{"queue_overflow:span": 3}`. */
  readonly dropped: Readonly<Record<string, number>>;
  /**
   * Delivers what is there, for at most so many milliseconds; what is left afterwards stays.
   *
   * @returns whether nothing is left
   */
  flush(ms: number): Promise<boolean>;
  /** The same, for the last time: what is left is given up, and said to be. */
  stop(ms: number): Promise<void>;
}

/** Tells the console alone: what there is without telemetry. */
export const consoleRuntime: Runtime = {
  observe: () => undefined,
  onError: (error) => console.error(error),
  log: logToConsole,
  dropped: {},
  flush: () => Promise.resolve(true),
  stop: () => Promise.resolve(),
};
