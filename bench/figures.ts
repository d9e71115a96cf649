import type { Limit } from "./budgets.ts";

/** A measured number. */
export interface Figure {
  /** What was measured, in words. */
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** Default: none, the figure is only printed. */
  readonly budget?: Limit;
}

/** Whether a figure meets its budget. */
export function isWithin({ value, budget }: Figure): boolean {
  if (budget === undefined) return true;
  return "least" in budget ? value >= budget.least : value <= budget.most;
}

/** A figure as a line: what, value, budget, and whether it is missed. */
export function figureLine(figure: Figure): string {
  const { what, value, unit, budget } = figure;
  const show = (number: number) => `${number.toFixed(unit === "×" ? 2 : 1)} ${unit}`;
  const line = `${what}: ${show(value)}`;
  if (budget === undefined) return line;
  const limit = "least" in budget
    ? `at least ${show(budget.least)}`
    : `at most ${show(budget.most)}`;
  return `${line}, budget ${limit}${isWithin(figure) ? "" : ": MISSED"}`;
}

/** The median of at least one value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
