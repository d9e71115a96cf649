import type { OutcomeKind } from "./outcome.ts";

/**
 * The mark of an outcome: a dot (flows), a diamond (waits), a cross (refused) or a square (ended). WCAG 2.2, 1.4.1: colour must not be
 * the only visual means of conveying information.
 */
export function OutcomeMark({ kind }: { kind: OutcomeKind }) {
  return <span className={`mark ${kind}`} aria-hidden="true" />;
}
