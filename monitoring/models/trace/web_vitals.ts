import { at, attributeAt } from "../json.ts";

export type VitalName = keyof typeof VITALS;

/** A web vital (https://web.dev/articles/vitals). */
export interface Vital {
  readonly name: VitalName;
  /** Milliseconds; CLS has no unit. */
  readonly value: number;
  /** When it happened, milliseconds since 1970; null: unknown. */
  readonly at_ms: number | null;
}

/**
 * Titles and thresholds: at most `good` is good, above `fair` is poor. Milliseconds, except CLS.
 * https://web.dev/articles/defining-core-web-vitals-thresholds
 */
export const VITALS = {
  ttfb: { title: "Time to first byte", good: 800, fair: 1800 },
  fp: { title: "First paint", good: 1800, fair: 3000 },
  fcp: { title: "First contentful paint", good: 1800, fair: 3000 },
  lcp: { title: "Largest contentful paint", good: 2500, fair: 4000 },
  cls: { title: "Cumulative layout shift", good: 0.1, fair: 0.25 },
  inp: { title: "Interaction to next paint", good: 200, fair: 500 },
} as const;

/** The rating of a vital, in the terms of web.dev. */
export function rateVital(
  { name, value }: Pick<Vital, "name" | "value">,
): "good" | "needs improvement" | "poor" {
  const { good, fair } = VITALS[name];
  return value <= good ? "good" : value <= fair ? "needs improvement" : "poor";
}

/**
 * Reads the vitals of a span: in attributes of streamed spans, in `measurements` of transactions and single
 * spans.
 *
 * @param payload the object with `measurements`: the span or its transaction
 */
export function readVitals(
  payload: unknown,
  attributes: unknown,
  { start_ms, end_ms }: { readonly start_ms: number | null; readonly end_ms: number | null },
): readonly Vital[] {
  const vitals: Vital[] = [];
  for (const name of Object.keys(VITALS) as VitalName[]) {
    const value = attributeAt(attributes, `browser.web_vital.${name}.value`) ??
      at(payload, "measurements", name, "value");
    if (typeof value !== "number" || !(value >= 0 && value < Infinity)) continue;
    // Relative to the start of the page load, unless the span has no duration and marks the time itself.
    const isRelative = name !== "cls" && name !== "inp" && start_ms !== end_ms;
    vitals.push({
      name,
      value,
      at_ms: start_ms === null ? null : start_ms + (isRelative ? value : 0),
    });
  }
  return vitals;
}
