/** One measured number beside what DESIGN allows. */
export interface Figure {
  /** What was measured, in words. */
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** At least or at most so much; none: told for whoever reads it. */
  readonly budget?: { readonly least: number } | { readonly most: number };
}

/** Whether a figure keeps to its budget. */
export function isWithin({ value, budget }: Figure): boolean {
  if (budget === undefined) return true;
  return "least" in budget ? value >= budget.least : value <= budget.most;
}

/** A figure as a line: what, value, budget, and a word where it is missed. */
export function figureLine(figure: Figure): string {
  const { what, value, unit, budget } = figure;
  const show = (number: number) => `${number.toFixed(unit === "×" ? 2 : 1)} ${unit}`;
  const line = `${what}: ${show(value)}`;
  if (budget === undefined) return line;
  const bound = "least" in budget
    ? `at least ${show(budget.least)}`
    : `at most ${show(budget.most)}`;
  return `${line}, budget ${bound}${isWithin(figure) ? "" : ": MISSED"}`;
}

/** The value in the middle, of at least one. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
