import assert from "node:assert/strict";
import fc from "fast-check";
import { recorded } from "../../inbox/testdata/envelopes.ts";
import { indexBody } from "../index/index_entries.ts";
import { metricPoints } from "../otlp/otlp_metric.ts";
import { parseEnvelope } from "../parsed_envelope.ts";
import { percentile } from "../percentile.ts";
import {
  boundedBuckets,
  type Buckets,
  combined,
  estimatedPercentile,
  MAX_BUCKETS,
  rangesOf,
} from "./buckets.ts";
import { changesOf } from "./changes.ts";
import { addLasts, FIGURES, FIGURES_OF, Values } from "./figures.ts";
import { MetricCollector, type Point } from "./metric_entry.ts";
import { metricRow, readMetric } from "./read_metric.ts";
import { type MetricKind } from "./metric_id.ts";

const NOW = Date.UTC(2026, 10, 29);

function entriesOf(items: readonly unknown[]) {
  const collector = new MetricCollector();
  const taken = items.map((item) => collector.add(item, NOW));
  return { entries: collector.entries, taken };
}

Deno.test("measurement of Sentry's SDK → its series without the SDK's attributes, its trace", () => {
  const { resources, unlisted } = indexBody([parseEnvelope(recorded("trace_metric"))], NOW);
  const { first_at, at, series, ...entry } = resources[0]!.metrics[0]!;
  assert.deepEqual(entry, {
    ...{ name: "orders", kind: "counter", unit: "", attributes: { kind: "test" } },
    points: [[1795233255171.5, 1]],
    exemplars: [],
    ids: [["59536e01ba9a4144800b88e6970a728a", null]],
  });
  assert.deepEqual([first_at, at, series.length, unlisted], [at, 1795233255171.5, 14, 0]);
});

Deno.test("any JSON as a measurement → never throws; what is read is bounded", () => {
  const part = fc.record({
    name: fc.oneof(fc.string(), fc.constant("x".repeat(9_000)), fc.jsonValue()),
    type: fc.oneof(fc.constantFrom("counter", "histogram", "gauge", "summary"), fc.jsonValue()),
    ...{ value: fc.jsonValue(), count: fc.jsonValue(), timestamp: fc.jsonValue() },
    ...{ attributes: fc.jsonValue(), buckets: fc.jsonValue(), exemplars: fc.jsonValue() },
    is_cumulative: fc.boolean(),
    start_timestamp: fc.jsonValue(),
  }, { requiredKeys: [] });
  fc.assert(fc.property(fc.array(fc.oneof(part, fc.jsonValue())), (items) => {
    const { entries } = entriesOf(items);
    for (const { name, unit, kind, points, attributes } of entries) {
      assert.ok(name !== "" && name.length <= 200 && unit.length <= 63);
      assert.ok(JSON.stringify(attributes).length < 10_000);
      const { changes } = changesOf(points, kind, 0, Infinity);
      const values = new Values(kind);
      for (const change of changes) values.add(change);
      for (const figure of FIGURES) values.figure(figure, 1_000);
    }
  }));
});

Deno.test("any JSON as a metric of OpenTelemetry → never throws", () => {
  const field = fc.constantFrom("gauge", "sum", "histogram", "exponentialHistogram", "summary");
  const metric = fc.tuple(field, fc.jsonValue()).map(([name, point]) => ({
    name: "m",
    [name]: { dataPoints: [point], aggregationTemporality: 2 },
  }));
  fc.assert(fc.property(fc.oneof(metric, fc.jsonValue()), (sent) => {
    entriesOf(metricPoints(sent, ""));
  }));
});

Deno.test("summaries → the newest quantiles as sent, also of a first point; of several series none", () => {
  const summary = (at: number, count: number, quantiles: object[], route = "/cart") => ({
    name: "old",
    summary: {
      dataPoints: [{
        timeUnixNano: `${NOW + at}000000`,
        attributes: [{ key: "route", value: { stringValue: route } }],
        ...{ count, sum: count * 2 },
        quantileValues: quantiles,
      }],
    },
  });
  const figuresOf = (...sent: object[]) => {
    const { entries } = entriesOf(sent.flatMap((one) => metricPoints(one, "")));
    const rows = entries.map(({ series, points }, rowKey) => ({
      ...{ rowKey, series, release: null, points, exemplars: [] },
    }));
    const id = { name: "old", kind: "summary", unit: "" } as const;
    const sender = { application: "shop", environment: null };
    const series = new Map(
      entries.map(({ series, attributes }) => [series, { ...id, ...sender, attributes }]),
    );
    const shape = { show: "p50", from: NOW, to: NOW + 60_000, now: NOW + 60_000 } as const;
    const { groups, intervals } = readMetric(id, { series, rows }, shape);
    const { show } = metricRow(id, { series, rows }, shape, true);
    assert.equal(readMetric(id, { series, rows }, { ...shape, show: undefined }).show, show);
    return [groups[0]?.count, groups[0]?.figures, intervals.shown, show];
  };
  const none = { p50: null, p75: null, p95: null, p99: null };
  const unknown = { ...none, avg: null, count: null, rate: null, sum: null };
  const [half, most] = [{ quantile: 0.5, value: 2 }, { quantile: 0.99, value: 4 }];
  assert.deepEqual(figuresOf(summary(9, 4, [half, most, { quantile: 7 }, "?" as never])), [
    ...[null, { ...unknown, p50: 2, p99: 4 }, 1, "p50"],
  ]);
  assert.deepEqual(figuresOf(summary(9, 4, [half, most]), summary(99, 10, [half])), [
    ...[6, { ...none, p50: 2, avg: 2, count: 6, rate: 0.1, sum: 12 }, 1, "avg"],
  ]);
  const [count, figures] = figuresOf(summary(9, 4, [half]), summary(9, 4, [half], "/pay"));
  assert.deepEqual([count, figures], [undefined, undefined]);
});

/** What a process counted in each of its intervals, and whether it restarts before it. */
const intervals = fc.array(
  fc.record({
    values: fc.array(fc.double({ min: 0, max: 1e4, noNaN: true }), { maxLength: 9 }),
    restarts: fc.boolean(),
  }),
  { minLength: 1, maxLength: 20 },
);
const BOUNDS = [0, 10, 100, 1_000];
const bucketOf = (value: number) => BOUNDS.findIndex((bound) => value <= bound);
const countsOf = (values: readonly number[]) =>
  [0, 1, 2, 3, -1].map((bucket) => values.filter((value) => bucketOf(value) === bucket).length);

/** The points that a sender makes of its intervals of a second each. */
function pointsOf(
  kind: MetricKind,
  sent: readonly { values: readonly number[]; restarts: boolean }[],
  { isCumulative, sendsStart }: { isCumulative: boolean; sendsStart: boolean },
): Point[] {
  let [values, start]: [number[], number] = [[], NOW];
  return sent.map(({ values: now, restarts }, n) => {
    if (restarts || !isCumulative) values = [];
    if (restarts) start = NOW + n * 1_000;
    values = [...values, ...now];
    const sum = values.reduce((a, b) => a + b, 0);
    const at = NOW + (n + 1) * 1_000;
    const since = isCumulative ? sendsStart ? start : -1 : 0;
    if (kind === "counter") return [at, sum, since];
    const buckets = { bounds: BOUNDS, counts: countsOf(values) };
    return [at, values.length, since, sum, null, null, buckets];
  });
}

const near = (a: number, b: number) =>
  assert.ok(Math.abs(a - b) <= 1e-6 * Math.max(1, b), `${a} ${b}`);

Deno.test("delta or cumulative, restarts, sent twice, in any order → the sums that the sender counted", () => {
  const kind = fc.constantFrom<MetricKind>("counter", "histogram");
  fc.assert(fc.property(intervals, kind, fc.boolean(), (sent, kind, isCumulative) => {
    const points = pointsOf(kind, sent, { isCumulative, sendsStart: true });
    const doubled = isCumulative ? [...points, ...points] : points;
    const { changes } = changesOf(doubled.toReversed(), kind, NOW, Infinity);
    const all = sent.flatMap(({ values }) => values);
    near(changes.reduce((sum, change) => sum + change.sum!, 0), all.reduce((a, b) => a + b, 0));
    if (kind !== "histogram") return;
    const values = new Values(kind);
    for (const change of changes) values.add(change);
    assert.equal(values.figure("count", 1_000) ?? 0, all.length);
    const ranges = changes.flatMap(({ buckets }) => rangesOf(buckets!));
    const inFirst = ranges.filter(([, high]) => high <= 10).reduce((sum, [, , n]) => sum + n, 0);
    assert.equal(inFirst, all.filter((value) => value <= 10).length);
  }));
});

Deno.test("cumulative without start times → all after the first point, also after a falling value", () => {
  const points: Point[] = [[10, 5, -1], [20, 7, -1], [30, 2, -1], [40, 6, -1]];
  const { changes, withoutStart } = changesOf(points, "counter", 0, 99);
  assert.deepEqual(changes.map(({ at, sum }) => [at, sum]), [[20, 2], [30, 2], [40, 4]]);
  assert.deepEqual(withoutStart, [10]);
});

Deno.test("cumulative from an earlier start → compared with the point before; without one not known", () => {
  const points: Point[] = [[100, 50, 1], [110, 70, 1]];
  const sums = (from: number, all = points) => {
    const { changes, withoutStart } = changesOf(all, "counter", from, 999);
    return [changes.map(({ sum }) => sum), withoutStart];
  };
  assert.deepEqual(sums(1), [[50, 20], []]);
  assert.deepEqual(sums(2), [[20], [100]]);
  assert.deepEqual(sums(105), [[20], []]);
  assert.deepEqual(sums(105, points.slice(1)), [[], [110]]);
});

Deno.test("cumulative points of two processes as one series → what each of them added", () => {
  const one: Point[] = [[10, 100, 1], [20, 110, 1], [30, 130, 1]];
  const other: Point[] = [[12, 3, 9], [22, 5, 9], [32, 1, 9]];
  const { changes, withoutStart } = changesOf([...one, ...other], "counter", 9, 99);
  assert.deepEqual(changes.map(({ at, sum }) => [at, sum]), [
    ...[[12, 3], [20, 10], [22, 2], [30, 20], [32, 1]],
  ]);
  assert.deepEqual(withoutStart, [10]);
});

Deno.test("older points not read → only what was added after the first one that was read", () => {
  const id = { name: "orders", kind: "counter", unit: "" } as const;
  const points: Point[] = [[NOW + 50_000, 500, NOW + 1], [NOW + 60_000, 510, NOW + 1]];
  const found = {
    series: new Map([["s", { ...id, application: null, environment: null, attributes: {} }]]),
    rows: points.map((point, rowKey) => (
      { rowKey, series: "s", release: null, points: [point], exemplars: [] }
    )),
  };
  const range = { from: NOW, to: NOW + 60_001, now: NOW + 60_001 };
  for (const [isWhole, sum, rate] of [[true, 510, 8.5], [false, 10, 1]] as const) {
    const { groups } = readMetric(id, found, range, isWhole);
    assert.equal(groups[0]!.figures.sum, sum);
    assert.equal(groups[0]!.figures.rate!.toFixed(3), rate.toFixed(3));
    const { chart } = metricRow(id, found, range, isWhole);
    assert.equal(Math.round(chart.reduce((all: number, part) => all + (part ?? 0), 0)), sum);
  }
});

Deno.test("point marked as without value → counted as such, and no reset", () => {
  const points: Point[] = [[10, 5, 1], [20, null, 1], [30, 8, 1]];
  const { changes, withoutValue } = changesOf(points, "counter", 5, 99);
  assert.deepEqual([changes.map(({ sum }) => sum), withoutValue], [[3], [20]]);
  const flagged = { name: "m", gauge: { dataPoints: [{ flags: 1 }] } };
  const { entries, taken } = entriesOf(metricPoints(flagged, ""));
  assert.deepEqual([taken, entries[0]?.points], [[true], [[NOW, null]]]);
});

Deno.test("level whose sender says that it has no value → counts no more in later times", () => {
  for (const kind of ["gauge", "updown"] as const) {
    const lastOf = (...gone: Point[]) => lastSince(Infinity, gone);
    const lastSince = (from: number, gone: Point[]) => {
      const values = new Values(kind);
      const still = changesOf([[10, 1], [20, 1], [30, 1]], kind, 5, 99).changes;
      for (const change of still) values.add(change);
      const all: Point[] = [[10, 5], [20, 5], ...gone];
      addLasts([changesOf(all, kind, 5, 99).changes, still], [[from, values]], 99);
      return values.figure("last", 1);
    };
    assert.equal(lastOf(), kind === "gauge" ? 3 : 6);
    assert.equal(lastOf([25, null]), 1);
    assert.equal(lastSince(0, [[25, null]]), 1, "it ended within the time");
    assert.equal(lastOf([22, null], [25, 7]), kind === "gauge" ? 4 : 8, "it came back");
  }
});

const SHARES = { p50: 0.5, p75: 0.75, p95: 0.95, p99: 0.99 } as const;
const changeOf = (values: readonly number[], buckets: Buckets | null) => ({
  ...{ at: NOW, since: 0, count: values.length, sum: values.reduce((a, b) => a + b, 0), buckets },
  ...{ min: Math.min(...values), max: Math.max(...values) },
});
const samples = fc.array(fc.double({ min: 0.001, max: 1e5, noNaN: true }), {
  minLength: 5,
  maxLength: 200,
});

Deno.test("percentiles of values → by nearest rank; of fewer than 5 none", () => {
  fc.assert(fc.property(samples, (sent) => {
    const values = new Values("distribution");
    for (const value of sent) values.add({ ...changeOf([value], null), count: 1 });
    for (const [name, share] of Object.entries(SHARES)) {
      const exact = sent.toSorted((a, b) => a - b)[Math.ceil(sent.length * share) - 1];
      assert.equal(values.figure(name as "p50", 1), exact);
    }
  }));
  const few = new Values("distribution");
  for (const value of [1, 2, 3, 4]) few.add(changeOf([value], null));
  assert.deepEqual(FIGURES_OF.distribution.map((name) => few.figure(name, 2_000)), [
    ...[null, null, null, null, 2.5, 4, 2, 10],
  ]);
});

Deno.test("histogram without buckets, as of Micrometer's timers → its average, no percentile", () => {
  const point = { timeUnixNano: `${NOW}000000`, count: "20", sum: 3, max: 0.4 };
  for (const bucketCounts of [[], ["20"]]) {
    const histogram = { aggregationTemporality: 1, dataPoints: [{ ...point, bucketCounts }] };
    const [entry] = entriesOf(metricPoints({ name: "requests", histogram }, "")).entries;
    const { changes } = changesOf(entry!.points, "histogram", 0, Infinity);
    const values = new Values("histogram");
    for (const change of changes) values.add(change);
    assert.deepEqual([values.figure("avg", 1), values.figure("p95", 1)], [0.15, null]);
  }
});

Deno.test("percentile of a wide bucket → spread from the smallest to the largest value", () => {
  const ranges = [[0, 100, 10]] as const;
  assert.equal(estimatedPercentile(ranges, 0.5, 40, 60), 50);
  assert.equal(estimatedPercentile(ranges, 0.9, 40, 60), 58);
  assert.equal(estimatedPercentile([[-Infinity, 10, 10]], 0.5, null, null), 5);
  const [least, most] = [0.0010003915967535806, 10.000000000000002];
  assert.equal(least + (10 - least) * 7 / 7, most, "rounded up");
  assert.equal(estimatedPercentile([[0, 10, 7], [10, 100, 6]], 0.5, least, most), 10);
});

/** An exponential histogram, as SDKs make it. */
function exponential(values: readonly number[], scale: number): Buckets {
  const indexes = values.map((value) => Math.ceil(Math.log2(value) * 2 ** scale) - 1);
  const offset = Math.min(...indexes);
  const counts = Array<number>(Math.max(...indexes) - offset + 1).fill(0);
  for (const index of indexes) counts[index - offset]!++;
  const negative = { offset: 0, counts: [] };
  return { scale, zero: 0, threshold: 0, positive: { offset, counts }, negative };
}

Deno.test("percentiles of histograms → in the bucket of the exact value, between min and max", () => {
  const scale = fc.integer({ min: -2, max: 3 });
  fc.assert(
    fc.property(samples, samples, scale, scale, fc.boolean(), (a, b, one, other, isExplicit) => {
      const values = new Values("histogram");
      for (const [sent, scale] of [[a, one], [b, other]] as const) {
        const buckets = isExplicit
          ? { bounds: BOUNDS, counts: countsOf(sent) }
          : exponential(sent, scale);
        assert.ok(boundedBuckets(buckets));
        values.add(changeOf(sent, buckets));
      }
      const all = [...a, ...b];
      const { min, max } = changeOf(all, null);
      for (const [name, share] of Object.entries(SHARES)) {
        const exact = percentile(all, share)!;
        const value = values.figure(name as "p50", 1)!;
        assert.ok(value >= min && value <= max, `${min} ${value} ${max}`);
        if (isExplicit) {
          const isNear = Math.abs(value - exact) < 1e-9 * exact;
          assert.ok(isNear || bucketOf(value) === bucketOf(exact), `${value} ${exact}`);
        } else {
          const width = 2 ** (2 ** -Math.min(one, other));
          assert.ok(
            value <= exact * width * 1.001 && value * width * 1.001 >= exact,
            `${value} ${exact}`,
          );
        }
      }
    }),
  );
});

Deno.test("exponential histograms of two scales → difference in the wider buckets; too many → wider ones", () => {
  const [before, later] = [exponential([1.5, 3], 2), exponential([1.5, 3, 40], 1)];
  const difference = combined(later, before, -1)!;
  assert.deepEqual(rangesOf(difference).map(([low, high, n]) => [low < 40 && high >= 40, n]), [[
    true,
    1,
  ]]);
  const counts = Array<number>(2_000).fill(1);
  const none = { offset: 0, counts: [] };
  const many = {
    scale: 8,
    zero: 1,
    threshold: 0,
    positive: { offset: -7, counts },
    negative: none,
  };
  const bounded = boundedBuckets(many)!;
  assert.ok("positive" in bounded && bounded.positive.counts.length <= MAX_BUCKETS);
  assert.equal(rangesOf(bounded).reduce((sum, [, , n]) => sum + n, 0), 2_001);
  for (const odd of [{ scale: 99 }, { zero: -1 }, { positive: { offset: 0.5, counts } }]) {
    assert.equal(boundedBuckets({ ...many, ...odd }), null);
  }
  assert.equal(boundedBuckets({ bounds: [2, 1], counts: [1, 1, 1] }), null);
  assert.equal(boundedBuckets({ bounds: [1], counts: [1] }), null);
});
