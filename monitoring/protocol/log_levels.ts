/** Levels of structured logs, least severe first. OpenTelemetry and Sentry's SDKs have the same. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogAttributes = Readonly<Record<string, string | number | boolean>>;

/** Level names of SDKs, in logs and events. */
const LEVEL_NAMES: ReadonlyMap<string, LogLevel> = new Map([
  ...LOG_LEVELS.map((level) => [level, level] as const),
  ["log", "info"],
  ["warning", "warn"],
  ["critical", "fatal"],
]);

/** The level of this name, in any case; undefined if the name is unknown. */
export function levelNamed(name: unknown): LogLevel | undefined {
  return typeof name === "string" ? LEVEL_NAMES.get(name.toLowerCase()) : undefined;
}

/** The rank of a level of a log or an event, from 0; that of an unknown one is 0. */
export function severityOf(level: string): number {
  return LOG_LEVELS.indexOf(levelNamed(level) ?? "trace");
}
