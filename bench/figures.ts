import type { Budget } from "./budgets.ts";

export interface Figure {
  readonly what: string;
  readonly value: number;
  /** Single rounds, of which the value is the median or the worst. */
  readonly rounds: readonly number[];
  readonly budget: Budget;
  /** Lines that explain the value, printed if it is over its budget. */
  readonly details?: readonly string[];
}

/** The median of at least one round. */
export const budgeted = (budget: Budget, ...rounds: readonly number[]): Figure => ({
  what: budget.what,
  rounds,
  value: median(rounds),
  budget,
});

/** The most of all rounds, where a single high one is what matters. */
export const worst = (budget: Budget, ...rounds: readonly number[]): Figure => ({
  ...budgeted(budget, ...rounds),
  value: Math.max(...rounds),
});

/** Ratios of rounds that ran one after the other: what changes between rounds affects both. */
export const ratios = (own: readonly number[], peer: readonly number[]): number[] =>
  own.map((value, round) => value / peer[round]!);

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Whether a figure exceeds its budget. What is not a number was not measured, and is over. */
export function isOver({ value, budget }: Figure): boolean {
  return "most" in budget ? !(value <= budget.most) : !(value >= budget.least);
}

/** A figure as a line of a table: verdict, what, value, budget, rounds; then its details if it is over. */
export function figureLine(figure: Figure): string {
  const { what, value, rounds, budget, details = [] } = figure;
  const digits = budget.unit === "×" ? 2 : Number.isInteger(value) || value >= 100 ? 0 : 1;
  const show = (number: number) =>
    number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const limit = "most" in budget
    ? `at most ${show(budget.most)}`
    : `at least ${show(budget.least)}`;
  const cells = [
    (isOver(figure) ? "OVER" : "ok").padEnd(6),
    what.padEnd(74),
    `${show(value)} ${budget.unit}`.padEnd(18),
    limit.padEnd(16),
    rounds.length > 1 ? `${show(Math.min(...rounds))} to ${show(Math.max(...rounds))}` : "",
  ];
  const line = cells.join(" ").trimEnd();
  return isOver(figure) ? [line, ...details].join("\n         ") : line;
}
