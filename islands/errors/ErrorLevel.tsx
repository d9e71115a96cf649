import { levelKind, type OutcomeKind } from "../../components/outcome.ts";

/** Known levels have up to seven characters; a longer one would break the table. */
const MAX_LENGTH = 12;

/** The level of an error, and whether it was handled. The level `error` is left out, because most errors have it. */
export function ErrorLevel({ level, handled }: { level: string; handled: boolean | null }) {
  const kind = errorKind(level, handled);
  const words = wordsOf(level, handled).filter((word) => word !== "error" || handled === null);
  const shape = handled === null ? "" : handled ? "outlined" : "filled";
  return (
    <span className={`level ${kind} ${shape}`}>
      <span className={`mark ${markOf(level, handled)}`} aria-hidden="true" />
      {words.join(", ")}
    </span>
  );
}

/** The same as a mark alone. Its title has the words. */
export function ErrorMark({ level, handled }: { level: string; handled: boolean | null }) {
  const kind = errorKind(level, handled);
  const words = wordsOf(level, handled).join(", ");
  return (
    <span className={kind} title={words}>
      <span className={`mark ${markOf(level, handled)}`} aria-hidden="true" />
      <span className="vh">{`${words} `}</span>
    </span>
  );
}

/** Red is for failures: an error that was handled needs a look. */
export function errorKind(level: string, handled: boolean | null): OutcomeKind {
  const kind = levelKind(level);
  return handled && kind === "refused" ? "waits" : kind;
}

/** An error that was handled has a ring instead of a cross. */
function markOf(level: string, handled: boolean | null): string {
  const kind = levelKind(level);
  return handled && kind === "refused" ? "ring" : kind;
}

const wordsOf = (level: string, handled: boolean | null) => [
  level.slice(0, MAX_LENGTH),
  ...handled === null ? [] : [handled ? "handled" : "unhandled"],
];
