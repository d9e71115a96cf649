import { at } from "../json.ts";

export type VitalName = keyof typeof VITALS;

/** A measure of how a page load felt (https://web.dev/articles/vitals). */
export interface Vital {
  readonly name: VitalName;
  /** Milliseconds; CLS has no unit. */
  readonly value: number;
  /** When it came about, milliseconds since 1970; null: not known. */
  readonly at_ms: number | null;
}

/**
 * What each abbreviation stands for, and up to which value it is called good, and not yet poor.
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

/** How good a vital is, in the words that web.dev uses. */
export function rateVital({ name, value }: Vital): "good" | "needs improvement" | "poor" {
  const { good, fair } = VITALS[name];
  return value <= good ? "good" : value <= fair ? "needs improvement" : "poor";
}

/**
 * The vitals that a span carries: as attributes where spans are streamed, as `measurements` where they come in a
 * transaction or alone.
 *
 * @param payload the span, or the transaction, as it was sent
 * @param attributes the same span's attributes
 */
export function readVitals(
  payload: unknown,
  attributes: unknown,
  { start_ms, end_ms }: { readonly start_ms: number | null; readonly end_ms: number | null },
): readonly Vital[] {
  const vitals: Vital[] = [];
  for (const name of Object.keys(VITALS) as VitalName[]) {
    const key = `browser.web_vital.${name}.value`;
    const attribute = at(attributes, key);
    const value = at(attribute, "value") ?? attribute ?? at(payload, "measurements", name, "value");
    if (typeof value !== "number" || !(value >= 0 && value < Infinity)) continue;
    // Counted from the beginning of the page load; a span of no length stands at the moment itself.
    const counted = name !== "cls" && name !== "inp" && start_ms !== end_ms;
    vitals.push({
      name,
      value,
      at_ms: start_ms === null ? null : start_ms + (counted ? value : 0),
    });
  }
  return vitals;
}
