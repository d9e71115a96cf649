import type { OutcomeKind } from "./outcome.ts";

/** A small shape, so that colour is never the only sign: dot (flows), diamond (waits), cross (refused). */
export function OutcomeMark({ kind }: { kind: OutcomeKind }) {
  return <span className={`mark ${kind}`} aria-hidden="true" />;
}
