import type { HTMLAttributes } from "react";
import type { OutcomeKind } from "./outcome.ts";

type Kind = OutcomeKind | "ring" | "missed";

/**
 * The mark of an outcome: a dot (flows), a diamond (waits), a cross (refused) or a square (ended); of what has none, a ring
 * or a dotted square. WCAG 2.2, 1.4.1: colour must not be the only visual means of conveying information.
 */
export function OutcomeMark({ kind }: { kind: Kind }) {
  return <span className={`mark ${kind}`} aria-hidden="true" />;
}

/** A text in the colour of an outcome, after its mark. @param props.as its element */
export function Marked({ kind, as: Element = "span", className, children, ...attributes }:
  & HTMLAttributes<HTMLElement>
  & { kind: Kind; as?: "span" | "p" | "b" | "small" }) {
  return (
    <Element className={className ? `${className} ${kind}` : kind} {...attributes}>
      <OutcomeMark kind={kind} />
      {children}
    </Element>
  );
}
