import type { Budget } from "./budgets.ts";

/** A measured number. */
export interface Figure {
  readonly what: string;
  readonly unit: string;
  readonly value: number;
  /** Single rounds, of which the value is the median or the worst. */
  readonly rounds: readonly number[];
  /** Default: none, the figure is only printed. */
  readonly budget?: Budget;
  /** Lines that explain the value, printed if it is over its budget. */
  readonly details?: readonly string[];
}

/** A figure that could not be measured. */
export interface Missing {
  readonly what: string;
  /** For example a program that is not installed. */
  readonly needs: string;
}

/** The median of at least one round. */
export const figure = (what: string, unit: string, ...rounds: readonly number[]): Figure => ({
  what,
  unit,
  rounds,
  value: median(rounds),
});

/** A figure with a budget: the median of at least one round. */
export const budgeted = (budget: Budget, ...rounds: readonly number[]): Figure => ({
  ...figure(budget.what, budget.unit, ...rounds),
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
  if (budget === undefined) return false;
  return "most" in budget ? !(value <= budget.most) : !(value >= budget.least);
}

/** A figure as a line of a table: verdict, what, value, budget, range of the rounds; then its details if it is over. */
export function figureLine(measured: Figure | Missing): string {
  if ("needs" in measured) return `       ${measured.what}: not measured, needs ${measured.needs}`;
  const { what, unit, value, rounds, budget, details = [] } = measured;
  const digits = unit === "×" ? 2 : Number.isInteger(value) || value >= 100 ? 0 : 1;
  const show = (number: number) =>
    number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const limit = budget &&
    ("most" in budget ? `at most ${show(budget.most)}` : `at least ${show(budget.least)}`);
  const range = rounds.length > 1 && `${show(Math.min(...rounds))} to ${show(Math.max(...rounds))}`;
  const verdict = budget === undefined ? "" : isOver(measured) ? "OVER" : "ok";
  const cells = [verdict.padEnd(6), what.padEnd(74), `${show(value)} ${unit}`.padEnd(18)];
  const line = [...cells, (limit ?? "").padEnd(16), range || ""].join(" ").trimEnd();
  return isOver(measured) ? [line, ...details].join("\n         ") : line;
}
