import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { OutcomeKind } from "../../components/outcome.ts";

/** Known levels have up to seven characters; a longer one would break the table. */
const MAX_LENGTH = 12;

/** An error's level and whether it was handled, with a mark. */
export function ErrorLevel({ level, handled }: { level: string; handled: boolean | null }) {
  const kind = levelKind(level);
  return (
    <span className={`level ${kind}`}>
      <OutcomeMark kind={kind} />
      {level.slice(0, MAX_LENGTH)}
      {handled !== null && (handled ? ", handled" : ", unhandled")}
    </span>
  );
}

/** The mark for a level: cross for errors, diamond for warnings, dot for the rest. */
export function levelKind(level: string): OutcomeKind {
  if (level === "fatal" || level === "error") return "refused";
  return level === "warning" || level === "warn" ? "waits" : "flows";
}
