import type { CSSProperties } from "react";
import { LOG_LEVELS, type LogLevel } from "../../monitoring/protocol/log_levels.ts";

const COLOURS: Partial<Record<LogLevel, string>> = {
  warn: "waits",
  error: "refused",
  fatal: "refused",
};

/** A level with a gauge: levels differ in its length, not only in colour. */
export function Level({ level }: { level: LogLevel }) {
  const part = (LOG_LEVELS.indexOf(level) + 1) / LOG_LEVELS.length;
  return (
    <span className={`level ${level} ${COLOURS[level] ?? ""}`}>
      <i aria-hidden="true" style={{ "--part": `${part * 100}%` } as CSSProperties} />
      {level}
    </span>
  );
}
