import { levelKind } from "../../components/outcome.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { LogLevel } from "../../monitoring/protocol/log_levels.ts";

export function Level({ level }: { level: LogLevel }) {
  const kind = levelKind(level);
  return (
    <span className={`level ${level} ${kind}`}>
      <OutcomeMark kind={kind} />
      {level}
    </span>
  );
}
