import type { LogAttributes, LogLevel } from "../protocol/log_levels.ts";
import type { ObservedRoute, Observer } from "../../server/endpoint.ts";
import type { Deliver } from "./relay_transport.ts";

export interface RuntimeOptions {
  /** Text of the DSN that receives the server's own telemetry. */
  readonly dsn: string;
  readonly release?: string;
  readonly environment: string;
  /** The project's folder as a `file:` URL, ending with `/`. Reported file names are relative to it. */
  readonly root: string;
  /** Passes an envelope to the relay of this process. */
  readonly deliver: Deliver;
  /** The status with which the server answers an error that a handler threw. */
  readonly statusOf: (error: unknown) => number;
}

/**
 * The server's own telemetry: spans around its responses, its errors, its log, all through the relay of its own
 * process.
 *
 * Deliberately not here: a way to make spans. Code makes them by `@opentelemetry/api`, as in any other server.
 */
export interface Runtime {
  /** Traces the responses of a route; undefined for routes that are not traced. */
  observe(route: ObservedRoute): Observer | undefined;
  /** Logs an error that a handler threw, and reports it in the trace of its request. */
  onError(error: unknown, request: Request): void;
  /** Reports an error that ends the process, and delivers what is queued, for at most `ms`. */
  reportCrash(error: unknown, ms: number): Promise<unknown>;
  readonly log: Log;
  /**
   * Delivers what is queued, for at most `ms`. The rest stays queued.
   *
   * @returns whether nothing is left
   */
  flush(ms: number): Promise<boolean>;
  /** As {@linkcode flush}, for the last time: the rest is dropped and logged. */
  stop(ms: number): Promise<void>;
}

/** Writes a line to the console and makes a structured log item. */
export type Log = (level: LogLevel, message: string, attributes?: LogAttributes) => void;
