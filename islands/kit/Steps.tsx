import { formatNumber } from "../../components/format.ts";
import type { ConsoleList } from "../data/lists.ts";

/** "1 of 9" */
export function describePosition(index: number, { rows, more }: ConsoleList<unknown>): string {
  if (index === -1) return "";
  const position = `${formatNumber(index + 1)} of ${formatNumber(rows.length)}`;
  return `${position}${more ? " or more" : ""}`;
}

/** A link, or its text alone at the end of the list, so that the layout stays. @param name "Next error", "Older" */
export function stepTo(href: string | undefined, name: string) {
  const text = /^(Next|Older)/.test(name) ? "›" : "‹";
  if (href === undefined) return <span className="step card quiet" aria-hidden="true">{text}</span>;
  return <a className="step card" href={href} aria-label={name} title={name}>{text}</a>;
}
