/** Deeper than people nest what they report; what lies below is told by a mark. */
const MAX_DEPTH = 8;
/** Of one object or list. */
const MAX_MEMBERS = 100;
/** Of the whole, in characters: more than a screen shows. Texts that stand alone are not cut. */
const MAX_LENGTH = 20_000;

/**
 * Any JSON value as text for people: a text as it is, all else as JSON on indented lines. Values
 * that are nested or long without end are cut, and `…` stands where something was left out.
 */
export function readable(value: unknown): string {
  if (typeof value === "string") return value;
  const budget = { left: MAX_LENGTH };
  return write(value, 0, budget);
}

function write(value: unknown, depth: number, budget: { left: number }): string {
  if (typeof value !== "object" || value === null) return scalar(value, budget);
  const isList = Array.isArray(value);
  const [open, close] = isList ? "[]" : "{}";
  const members: readonly (readonly [string, unknown])[] = Object.entries(value);
  if (members.length === 0) return `${open}${close}`;
  if (depth === MAX_DEPTH) return `${open}…${close}`;
  const indent = "  ".repeat(depth + 1);
  const lines: string[] = [];
  for (const [name, member] of members) {
    if (lines.length === MAX_MEMBERS || budget.left <= 0) {
      lines.push(`${indent}… ${members.length - lines.length} more`);
      break;
    }
    const label = isList ? "" : `${scalar(name, budget)}: `;
    budget.left -= indent.length;
    lines.push(`${indent}${label}${write(member, depth + 1, budget)}`);
  }
  return `${open}\n${lines.join(",\n")}\n${"  ".repeat(depth)}${close}`;
}

function scalar(value: unknown, budget: { left: number }): string {
  const text = JSON.stringify(value) ?? String(value);
  const fitting = text.length > budget.left ? `${text.slice(0, Math.max(0, budget.left))}…` : text;
  budget.left -= text.length;
  return fitting;
}
