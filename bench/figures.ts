import type { Budget, Limit } from "./budgets.ts";

/** A measured number. */
export interface Figure {
  /** What was measured, in words. */
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The values of single rounds, of which `value` is the median or the worst. Default: measured once. */
  readonly rounds?: readonly number[];
  /** Default: none, the figure is only printed. */
  readonly budget?: Limit;
}

/** A figure that could not be measured. */
export interface Missing {
  readonly what: string;
  /** What is missing, such as a program. */
  readonly missing: string;
}

export type Measured = Figure | Missing;

/**
 * The median of at least one round.
 *
 * @param measure the budget, or only the unit
 */
export function figure(what: string, rounds: readonly number[], measure: Budget | string): Figure {
  return { what, ...unitAndLimit(measure), rounds, value: median(rounds) };
}

/** The most of all rounds, where a single long one is what matters. */
export function worst(what: string, rounds: readonly number[], budget: Budget): Figure {
  return { what, ...unitAndLimit(budget), rounds, value: Math.max(...rounds) };
}

/** The median of the ratios of rounds that ran one after the other: what changes between rounds affects both. */
export function ratio(
  what: string,
  own: readonly number[],
  peer: readonly number[],
  budget?: Budget,
): Figure {
  return figure(what, own.map((value, i) => value / peer[i]!), budget ?? "×");
}

const unitAndLimit = (measure: Budget | string) =>
  typeof measure === "string" ? { unit: measure } : { unit: measure.unit, budget: measure.limit };

/** Whether a figure meets its budget. */
export function isWithin({ value, budget }: Figure): boolean {
  if (budget === undefined) return true;
  return "least" in budget ? value >= budget.least : value <= budget.most;
}

/** A figure as a line: what, value, spread, budget, and whether it is missed. */
export function figureLine(measured: Measured): string {
  if ("missing" in measured) return `${measured.what}: not measured, ${measured.missing}`;
  const { value, spread, budget } = figureTexts(measured);
  const line = `${measured.what}: ${value}${spread && ` (${spread})`}`;
  if (!budget) return line;
  return `${line}, budget ${budget}${isWithin(measured) ? "" : ": MISSED"}`;
}

/** The numbers of a figure, in words: "1.05 ×", "1.01 to 1.09", "at most 1.10 ×". Empty: it has none. */
export function figureTexts(
  { value, unit, rounds = [], budget }: Figure,
): { readonly value: string; readonly spread: string; readonly budget: string } {
  const digits = unit === "×" ? 2 : Number.isInteger(value) || Math.abs(value) >= 100 ? 0 : 1;
  const show = (number: number) =>
    number.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const limit = budget === undefined
    ? ""
    : "least" in budget
    ? `at least ${budget.least.toLocaleString("en")} ${unit}`
    : `at most ${budget.most.toLocaleString("en")} ${unit}`;
  return {
    value: `${show(value)} ${unit}`,
    spread: rounds.length < 2 ? "" : `${show(Math.min(...rounds))} to ${show(Math.max(...rounds))}`,
    budget: limit,
  };
}

/** The median of at least one value. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
