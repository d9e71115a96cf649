import type { Kind } from "./verdict.ts";

/** The small shape beside a word: a dot flows, a diamond waits, a cross was refused. */
export function Mark({ kind }: { kind: Kind }) {
  return <span className={`mark ${kind}`} aria-hidden="true" />;
}
