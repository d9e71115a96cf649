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
const METHODS = Object.keys(LEVELS) as (keyof typeof LEVELS)[];

const isForStandardError = (level: LogLevel) => ["warn", "error", "fatal"].includes(level);

let write: Log = (level, message, attributes) => {
  const details = attributes === undefined ? "" : ` ${JSON.stringify(attributes)}`;
  console[isForStandardError(level) ? "error" : "log"](`${level}: ${message}${details}`);
};

/** The console's part of a {@linkcode Log}: warnings and errors to standard error, the rest to standard output. */
export const logToConsole: Log = (...entry) => write(...entry);

/**
 * Call it before anything is printed: `console` throws if it cannot write, and a full disk must not end the process.
 *
 * @param format `LOG_FORMAT`
 */
export function startConsole(format: string | undefined): void {
  for (const method of METHODS) {
    const print = console[method];
    console[method] = (...values: unknown[]) => {
      try {
        print(...values);
      } catch {
        // It cannot be reported.
      }
    };
  }
  if (format === "json") writeJsonLogs();
}

/**
 * From now on, all that is printed through `console` is one JSON object a line. What the runtime itself prints when it
 * cannot continue, such as without memory, stays text.
 */
export function writeJsonLogs(now: () => number = Date.now, target: Console = console): void {
  const { log, error } = target;
  write = (level, message, attributes) => {
    const time = new Date(now()).toISOString();
    const line = JSON.stringify({ time, level, message, attributes });
    (isForStandardError(level) ? error : log).call(target, "%s", line);
  };
  for (const method of METHODS) {
    target[method] = (...values: unknown[]) =>
      write(LEVELS[method], formatWithOptions({ colors: false }, ...values));
  }
}
