import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { OutcomeKind } from "../../components/outcome.ts";

/** Known levels have up to seven characters; a longer one would break the table. */
const MAX_LENGTH = 12;

/** The level of an error, and whether it was handled. The level `error` is left out, because most errors have it. */
export function ErrorLevel({ level, handled }: { level: string; handled: boolean | null }) {
  const kind = levelKind(level);
  const words = [
    ...level === "error" && handled !== null ? [] : [level.slice(0, MAX_LENGTH)],
    ...handled === null ? [] : [handled ? "handled" : "unhandled"],
  ];
  const shape = handled === null ? "" : handled ? "outlined" : "filled";
  return (
    <span className={`level ${kind} ${shape}`}>
      <OutcomeMark kind={kind} />
      {words.join(", ")}
    </span>
  );
}

/** The kind of mark for a level: cross for errors, diamond for warnings, dot for the rest. */
export function levelKind(level: string): OutcomeKind {
  if (level === "fatal" || level === "error") return "refused";
  return level === "warning" || level === "warn" ? "waits" : "flows";
}
