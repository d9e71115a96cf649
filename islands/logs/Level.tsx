import { levelKind } from "../../components/outcome.ts";
import { Marked } from "../../components/OutcomeMark.tsx";
import type { LogLevel } from "../../monitoring/protocol/log_levels.ts";

export function Level({ level }: { level: LogLevel }) {
  return <Marked kind={levelKind(level)} className={`level ${level}`}>{level}</Marked>;
}
