import type { LogRow } from "../../monitoring/models/rows.ts";

/** A level: its word, and a gauge that is the fuller the more urgent it is. */
export function LogLevel({ level }: { level: LogRow["level"] }) {
  return (
    <span className={`level ${level}`}>
      <i aria-hidden="true" />
      {level}
    </span>
  );
}
