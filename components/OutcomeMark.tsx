import type { OutcomeKind } from "./outcome.ts";

/**
 * The mark of an outcome: a dot (flows), a diamond (waits), a cross (refused) or a square (ended); of what has none, a ring
 * or a dotted square. WCAG 2.2, 1.4.1: colour must not be the only visual means of conveying information.
 */
export function OutcomeMark({ kind }: { kind: OutcomeKind | "ring" | "missed" }) {
  return <span className={`mark ${kind}`} aria-hidden="true" />;
}
