/**
 * `counter`: values add up. `updown`: a level that is the sum of changes. `gauge`: a level. `distribution`: each value was
 * sent. `histogram`: values were counted by range. `summary`: their count and sum were sent.
 */
export const METRIC_KINDS = [
  ...["counter", "updown", "gauge"] as const,
  ...["distribution", "histogram", "summary"] as const,
];
export type MetricKind = (typeof METRIC_KINDS)[number];

/** Name, kind and unit: what is added up is the same of all three. An empty unit: none. */
export interface MetricId {
  readonly name: string;
  readonly kind: MetricKind;
  readonly unit: string;
}
