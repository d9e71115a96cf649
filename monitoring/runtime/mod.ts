/**
 * The server's own telemetry: spans around its answers, its errors, its log, all of it through the
 * relay of the same process.
 *
 * What is deliberately not here: a way to make spans. Code makes them by `@opentelemetry/api`, as it
 * would in any other server.
 */
export type { Log, LogAttributes, LogLevel } from "./log.ts";
export type { Runtime, RuntimeOptions } from "./runtime.ts";
export { startRuntime } from "./start_runtime.ts";
