import { formatWithOptions } from "node:util";
import type { LogAttributes, LogLevel } from "../protocol/log_levels.ts";

/** Writes a line to the console and makes a structured log item. */
export type Log = (level: LogLevel, message: string, attributes?: LogAttributes) => void;

const LEVELS = {
  debug: "debug",
  log: "info",
  info: "info",
  warn: "warn",
  error: "error",
} as const satisfies Record<string, LogLevel>;

const isForStandardError = (level: LogLevel) =>
  level === "warn" || level === "error" || level === "fatal";

let write: Log = (level, message, attributes) => {
  const details = attributes === undefined ? "" : ` ${JSON.stringify(attributes)}`;
  const line = `${level}: ${message}${details}`;
  if (isForStandardError(level)) console.error(line);
  else console.log(line);
};

/** The console's part of a {@linkcode Log}: warnings and errors to standard error, the rest to standard output. */
export const logToConsole: Log = (...entry) => write(...entry);

/**
 * `LOG_FORMAT=json`: from now on, all that is printed through `console` is one JSON object a line. What the runtime itself
 * prints when it cannot continue, such as without memory, stays text.
 *
 * @example
 * ```ts ignore
 * writeJsonLogs();
 * console.warn("Cannot read %s", "a.txt");
 * // {"time":"2026-11-22T08:00:00.000Z","level":"warn","message":"Cannot read a.txt"}
 * ```
 */
export function writeJsonLogs(now: () => number = Date.now, target: Console = console): void {
  const { log, error } = target;
  write = (level, message, attributes) => {
    const time = new Date(now()).toISOString();
    const line = JSON.stringify({ time, level, message, attributes });
    (isForStandardError(level) ? error : log).call(target, "%s", line);
  };
  for (const [method, level] of Object.entries(LEVELS) as [keyof typeof LEVELS, LogLevel][]) {
    target[method] = (...values: unknown[]) =>
      write(level, formatWithOptions({ colors: false }, ...values));
  }
}
