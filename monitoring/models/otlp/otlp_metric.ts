import { at, finiteAt, hexId, integerAt, listOf, spanId, textAt } from "../json.ts";
import type { SentMetric } from "../metric/metric_entry.ts";
import { type PlainAttributes, secondsOf, sentAttributes } from "./otlp_values.ts";

const CUMULATIVE = 2;
/** Bit of a point's flags: the sender had nothing to report, such as after a target has disappeared. */
const NO_RECORDED_VALUE = 1;

/** Of a resource, what differs between the processes of an application: each has sums of its own. */
const INSTANCE = [
  "service.instance.id",
  "process.pid",
  "process.creation.time",
  "host.name",
  "k8s.pod.name",
];

/** Names the process that sent a resource's metrics. */
export const instanceOf = (resource: PlainAttributes, scope: string | null): string =>
  JSON.stringify([scope, ...INSTANCE.map((name) => textAt(resource, name))]);

/**
 * The points of a metric, as items of `trace_metric`.
 * https://opentelemetry.io/docs/specs/otel/metrics/data-model/
 *
 * @param instance see {@linkcode instanceOf}
 */
export function metricPoints(metric: unknown, instance: string): SentMetric[] {
  const read = READERS.find(([field]) => at(metric, field) !== undefined);
  if (read === undefined) return [];
  const [field, readPoint] = read;
  const data = at(metric, field);
  const temporality = at(data, "aggregationTemporality");
  const is_cumulative = temporality === CUMULATIVE || field === "summary" ||
    temporality === "AGGREGATION_TEMPORALITY_CUMULATIVE";
  return listOf(at(data, "dataPoints")).map((point) => ({
    name: at(metric, "name"),
    unit: textAt(metric, "unit"),
    type: typeOf(field, is_cumulative, at(data, "isMonotonic") === true),
    instance,
    is_cumulative,
    timestamp: secondsOf(at(point, "timeUnixNano")),
    start_timestamp: secondsOf(at(point, "startTimeUnixNano")),
    attributes: sentAttributes(at(point, "attributes"), {}),
    ...((integerAt(point, 0, "flags") ?? 0) & NO_RECORDED_VALUE)
      ? { has_no_value: true }
      : readPoint(point),
    exemplars: listOf(at(point, "exemplars")).map((exemplar) => ({
      timestamp: secondsOf(at(exemplar, "timeUnixNano")),
      value: valueOf(exemplar),
      trace_id: hexId(at(exemplar, "traceId")),
      span_id: spanId(at(exemplar, "spanId")),
    })),
  }));
}

/** Sums of changes add up, whether they may fall or not; a sum since the start that may fall is a level. */
function typeOf(field: string, isCumulative: boolean, isMonotonic: boolean): string {
  if (field === "sum") return isMonotonic || !isCumulative ? "counter" : "updown";
  return field === "exponentialHistogram" ? "histogram" : field;
}

const valueOf = (point: unknown) => finiteAt(point, "asDouble") ?? finiteAt(point, "asInt");

const readNumber = (point: unknown) => ({ value: valueOf(point) });

const readTotals = (point: unknown) => ({
  // A default value is not sent.
  count: finiteAt(point, "count") ?? 0,
  sum: finiteAt(point, "sum"),
  min: finiteAt(point, "min"),
  max: finiteAt(point, "max"),
});

const numbers = (value: unknown) => listOf(value).map((one) => finiteAt(one) ?? NaN);

const READERS: readonly (readonly [string, (point: unknown) => Partial<SentMetric>])[] = [
  ["gauge", readNumber],
  ["sum", readNumber],
  ["histogram", (point) => ({
    ...readTotals(point),
    buckets: {
      bounds: numbers(at(point, "explicitBounds")),
      counts: numbers(at(point, "bucketCounts")),
    },
  })],
  ["exponentialHistogram", (point) => {
    const side = (name: string) => ({
      offset: finiteAt(point, name, "offset") ?? 0,
      counts: numbers(at(point, name, "bucketCounts")),
    });
    return {
      ...readTotals(point),
      buckets: {
        scale: finiteAt(point, "scale") ?? 0,
        zero: finiteAt(point, "zeroCount") ?? 0,
        threshold: finiteAt(point, "zeroThreshold") ?? 0,
        positive: side("positive"),
        negative: side("negative"),
      },
    };
  }],
  ["summary", (point) => ({
    ...readTotals(point),
    quantiles: listOf(at(point, "quantileValues")),
  })],
];
