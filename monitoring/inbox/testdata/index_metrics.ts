import assert from "node:assert/strict";
import type { ListQuery } from "../../models/list_query.ts";
import type { MetricContent } from "../../models/metric/metric_content.ts";
import type { Inbox } from "../inbox.ts";
import type { MetricQuery } from "../metric_reader.ts";
import { type Attributes, hexId, type TestItem } from "./envelopes.ts";
import { type AddTest, NOON, shop } from "./tested_index.ts";

/** Measurements of a distribution, a second apart. */
export const measured = (
  values: readonly number[],
  { name = "checkout.duration", type = "distribution", ...rest }: Attributes = {},
): TestItem => [
  "trace_metric",
  {
    version: 2,
    items: values.map((value, n) => ({
      ...{ name, type, value, unit: "millisecond", timestamp: NOON / 1000 + n },
      ...{ trace_id: hexId(n), attributes: { route: { value: "/cart", type: "string" } } },
      ...rest,
    })),
  },
];

const figuresOf = (metric: MetricContent | undefined) =>
  metric?.groups.map(({ value, count, figures }) => [value, count, figures[metric.show]]);

/** Metrics: what is listed, grouped and filtered. */
export function addMetricTests(test: AddTest): void {
  const read = (inbox: Inbox, query: Partial<MetricQuery> = {}) =>
    inbox.metric({ name: "checkout.duration", ...query });

  test("metrics → listed by name, kind and unit, each with its figure", async (inbox, add) => {
    await add(measured([1, 2, 3]), measured([1, 4], { name: "emails", type: "counter", unit: "" }));
    await add(measured([5], { type: "gauge" }), measured([4, 9]));
    const rows = inbox.page("metrics", {}).rows.map(({ name, kind, show, value, count }) =>
      `${name} ${kind} ${show} ${value} ${count}`
    );
    assert.deepEqual(
      rows,
      [
        "checkout.duration distribution p95 9 5",
        "emails counter sum 5 2",
        "checkout.duration gauge last 5 1",
      ].toSorted((a, b) => rows.indexOf(a) - rows.indexOf(b)),
    );
    assert.equal(read(inbox, { kind: "gauge" })?.variants.length, 1);
    assert.equal(read(inbox, { name: "nothing" }), undefined);
  });

  test("one metric by attribute, release or application → its groups", async (inbox, _, addOf) => {
    const report = {
      attributes: { route: { value: "/report" }, "sentry.release": { value: "shop@2" } },
    };
    await addOf(shop("1"), measured([1, 2, 3, 4, 5]));
    await addOf(shop("2"), measured([30, 10], report));
    assert.deepEqual(figuresOf(read(inbox, { by: "route", show: "avg" })), [
      ["/cart", 5, 3],
      ["/report", 2, 20],
    ]);
    const byRelease = read(inbox, { by: "release", show: "p50" });
    assert.deepEqual(figuresOf(byRelease), [["shop@1", 5, 3], ["shop@2", 2, null]]);
    assert.deepEqual(byRelease?.attributes.map(({ name, values }) => `${name} ${values}`), [
      ...["route 2", "application 1", "environment 1", "release 2"],
    ]);
    assert.deepEqual(figuresOf(read(inbox, { by: "unknown", show: "sum" })), [[null, 7, 55]]);
  });

  test("metrics, each filter → only what matches", async (inbox, _, addOf) => {
    await addOf(shop("1"), measured([1, 2]));
    const attributes = { route: { value: "/report" }, kind: { value: "b" } };
    await addOf(shop("2"), measured([8], { attributes }));
    const sum = (query: Partial<MetricQuery>) => {
      const [row] = inbox.page("metrics", query).rows;
      const figure = figuresOf(read(inbox, { ...query, show: "sum" }))?.[0]?.[2] ?? 0;
      return [row?.count ?? 0, figure];
    };
    const trace = hexId(1);
    assert.deepEqual(sum({}), [3, 11]);
    assert.deepEqual(sum({ q: "route:/report" }), [1, 8]);
    assert.deepEqual(sum({ q: "-route:/report" }), [2, 3]);
    assert.deepEqual(sum({ q: "checkout" }), [3, 11]);
    assert.deepEqual(sum({ q: trace }), [2, 3]);
    assert.deepEqual(sum({ q: "kind:counter" }), [0, 0]);
    assert.deepEqual([sum({ q: "kind:b" }), sum({ q: "-kind:b" })], [[1, 8], [2, 3]], "as named");
    assert.deepEqual(sum({ release: "shop@2" }), [1, 8]);
    assert.deepEqual(sum({ environment: "none" }), [0, 0]);
    assert.deepEqual(sum({ application: "sightglass" }), [0, 0]);
    assert.deepEqual(sum({ since: NOON + 500, until: NOON + 5_000 }), [1, 2]);
    assert.deepEqual(sum({ until: NOON + 500 }), [2, 9]);
  });

  test("envelopes deleted → their points are not counted any more", async (inbox, add) => {
    await add(measured([1]));
    await add(measured([2]));
    await add(measured([4]));
    assert.deepEqual(figuresOf(read(inbox, { show: "sum" })), [[null, 2, 6]]);
    await inbox.clear();
    assert.deepEqual(inbox.page("metrics", {}).rows, []);
  }, 2);

  test(
    "cumulative points → counted from their start, or from the point before the chosen time",
    async (inbox, add) => {
      const total = (minute: number, value: number): TestItem =>
        measured([value], {
          ...{ name: "orders", type: "counter", is_cumulative: true },
          ...{ start_timestamp: NOON / 1000, timestamp: NOON / 1000 + 60 * minute },
        });
      await add(total(1, 5), total(2, 7), total(3, 12));
      const sums = (query: Partial<MetricQuery> = {}) => [
        figuresOf(read(inbox, { name: "orders", ...query }))?.[0]?.[2],
        inbox.page("metrics", query).rows[0]?.value,
      ];
      const minute = 60_000;
      assert.deepEqual(sums(), [12, 12]);
      assert.deepEqual(sums({ since: NOON + 1.5 * minute, until: NOON + 9 * minute }), [7, 7]);
      assert.deepEqual(sums({ since: NOON + 2.5 * minute, until: NOON + 9 * minute }), [5, 5]);
    },
  );

  test(
    "levels of series with points at other times → the newest of each still sent",
    async (inbox, add) => {
      const sent = (seconds: readonly number[], value: number, type: string, rest: Attributes) =>
        seconds.map((second) =>
          measured([value], {
            ...{ name: type, type, timestamp: NOON / 1000 + second, is_cumulative: true },
            ...rest,
          })
        );
      const route = (value: string) => ({ attributes: { route: { value } }, is_cumulative: false });
      const started = (second: number) => ({ start_timestamp: NOON / 1000 + second });
      const [first, second] = [[0, 60, 120, 180, 360, 420], [30, 90, 150]];
      await add(...sent(first, 10, "gauge", route("/a")));
      await add(...sent(second, 20, "gauge", route("/b")));
      await add(...sent(first, 3, "updown", started(-9)));
      await add(...sent(second, 4, "updown", started(-5)));
      const query = { every: 60_000, since: NOON };
      for (const [name, both, one] of [["gauge", 15, 10], ["updown", 7, 3]] as const) {
        const [group] = read(inbox, { ...query, name, until: NOON + 500_000 })!.groups;
        assert.deepEqual(group!.points.map(({ value }) => value), [
          both,
          both,
          both,
          both,
          one,
          one,
        ]);
        assert.equal(group!.figures.last, one);
        const until = NOON + 200_000;
        const late = read(inbox, { ...query, name, since: NOON + 155_000, until })!.groups[0]!;
        assert.deepEqual([late.count, late.points[0]?.value], [1, both]);
        assert.equal(read(inbox, { ...query, name, until })!.groups[0]!.figures.last, both);
        const { rows } = inbox.page("metrics", { since: NOON, until });
        assert.equal(rows.find((row) => row.name === name)?.value, both);
      }
    },
  );

  test(
    "last of gauges → of the series still sent, in any interval, as in the list",
    async (inbox, add) => {
      const gauge = (route: string, value: number, ...seconds: number[]) =>
        add(...seconds.map((second) =>
          measured([value], {
            ...{ name: "queue", type: "gauge", timestamp: NOON / 1000 + second },
            attributes: { route: { value: route } },
          })
        ));
      await gauge("/ended", 9, 0, 10, 20);
      await gauge("/a", 2, 0, 10, 20, 30, 40, 50, 60);
      await gauge("/b", 4, 5, 15, 25, 35, 41);
      await gauge("/once", 9, 20);
      for (const every of [10_000, 60_000, 3_600_000]) {
        const { groups } = read(inbox, { name: "queue", every })!;
        assert.equal(groups[0]!.figures.last, 3);
      }
      assert.equal(inbox.page("metrics", {}).rows[0]?.value, 3);
    },
  );

  test("process ended before the chosen time → its level does not count", async (inbox, add) => {
    const sent = async (value: number, start: number, ...seconds: number[]) => {
      for (const second of seconds) {
        await add(measured([value], {
          ...{ name: "active", type: "updown", is_cumulative: true },
          ...{ start_timestamp: NOON / 1000 + start, timestamp: NOON / 1000 + second },
        }));
      }
    };
    await sent(3, -9, 0, 10, 20);
    await sent(4, 25, 30, 40, 50, 60, 70, 80, 90);
    const query = { since: NOON + 65_000, until: NOON + 95_000, every: 10_000 };
    const { points } = read(inbox, { name: "active", ...query })!.groups[0]!;
    assert.deepEqual(points.map(({ value }) => value), [4, 4, 4]);
  });

  test(
    "gauge measured for several users → the last value of any, or by user",
    async (inbox, add) => {
      for (const second of [0, 1, 2, 3, 4, 5]) {
        await add(measured([second], {
          ...{ name: "pool", type: "gauge", timestamp: NOON / 1000 + second },
          attributes: { "user.id": { value: `${second % 3}` }, pool: { value: "db" } },
        }));
      }
      assert.equal(read(inbox, { name: "pool" })!.groups[0]!.figures.last, 5);
      assert.equal(inbox.page("metrics", {}).rows[0]?.value, 5);
      assert.deepEqual(figuresOf(read(inbox, { name: "pool", by: "user.id" })), [
        ...[["0", 2, 3], ["1", 2, 4], ["2", 2, 5]],
      ]);
    },
  );

  test("rate of an unfinished interval → by its elapsed part", async (inbox, add) => {
    const counter = { name: "orders", type: "counter" };
    await add(measured([60], counter));
    await add(measured([10], { ...counter, timestamp: NOON / 1000 + 65 }));
    const query = { name: "orders", show: "rate", every: 60_000, since: NOON } as const;
    const rates = (query: Partial<MetricQuery>) => {
      const { counted_from, counted_to, groups } = read(inbox, query)!;
      const counted = [counted_from, counted_to].map((time) => (time - NOON) / 1000);
      return [counted.join(" to "), groups[0]!.points.map(({ value }) => value)];
    };
    assert.deepEqual(rates({ ...query, now: NOON + 80_000 }), ["0 to 80", [1, 0.5]]);
    assert.deepEqual(rates({ ...query, since: NOON + 15_000, now: NOON + 80_000 })[0], "15 to 80");
    assert.deepEqual(rates({ ...query, until: NOON + 100_000 }), ["0 to 100", [1, 0.25]]);
    const total = { ...counter, name: "total", is_cumulative: true, start_timestamp: NOON / 1000 };
    await add(measured([32], { ...total, timestamp: NOON / 1000 + 64 }));
    assert.deepEqual(rates({ ...query, name: "total", now: NOON + 80_000 }), ["0 to 80", [
      0.5,
      0.5,
    ]]);
  });

  test(
    "cumulative points at a distance of their own → the rate and the sum of each interval",
    async (inbox, add) => {
      const sent = (rest: Attributes, ...seconds: number[]) =>
        add(...seconds.map((second) =>
          measured([2 * (second - seconds[0]!)], {
            ...{ name: "orders", type: "counter", is_cumulative: true, ...rest },
            ...{ start_timestamp: NOON / 1000 + seconds[0]!, timestamp: NOON / 1000 + second },
          })
        ));
      await sent({}, 0, 30, 60, 90, 120, 150);
      const until = NOON + 160_000;
      const values = (query: Partial<MetricQuery>) =>
        read(inbox, { name: "orders", show: "rate", since: NOON, until, ...query })!
          .groups[0]!.points.map(({ value }) => Number(value!.toFixed(9)));
      assert.deepEqual(values({ every: 10_000 }), Array(16).fill(2));
      assert.deepEqual(values({ every: 20_000 }), Array(8).fill(2));
      assert.deepEqual(values({ every: 60_000 }), [2, 2, 2]);
      assert.deepEqual(values({ every: 60_000, since: NOON + 65_000 }), [2, 2]);
      assert.deepEqual(values({ show: "sum", every: 20_000 }), Array(8).fill(40));
      assert.deepEqual(values({ show: "sum", every: 60_000 }), [120, 120, 80]);
      const chart = inbox.page("metrics", { since: NOON, until: NOON + 144_000 }).rows[0]!.chart;
      assert.deepEqual(chart.map((value) => value && Math.round(value)), [
        ...[...Array(21).fill(12), null, null, null],
      ]);
      // It did not report again.
      const later = { until: undefined, now: NOON + 200_000 };
      assert.deepEqual(values({ show: "sum", every: 60_000, ...later }), [120, 120, 60]);
      assert.deepEqual(values({ show: "sum", every: 20_000, ...later, since: undefined }), [
        ...[...Array(7).fill(40), 20],
      ]);
      // A second process, which started later and reports at other times.
      await sent({}, 13, 43, 73, 103, 133, 163);
      assert.deepEqual(values({ every: 30_000 }).slice(1), [4, 4, 4, 4, 4]);
      // A third one is started instead of the first.
      const attributes = { route: { value: "/cart" } };
      await sent({ name: "sold", attributes }, 0, 30, 60);
      await sent({ name: "sold", attributes }, 65, 95, 125, 155);
      assert.deepEqual(values({ name: "sold", every: 60_000 }), [2, 1.833333333, 2]);
    },
  );

  test(
    "points of OpenTelemetry's SDK for JavaScript, whose first one begins with a value → its rate",
    async (inbox, add) => {
      const sent = (
        name: string,
        ...points: (readonly [from: number, at: number, value: number])[]
      ) =>
        add(...points.map(([from, at, value]) =>
          measured([value], {
            ...{ name, type: "counter", is_cumulative: name !== "parts" },
            ...{ start_timestamp: NOON / 1000 + from, timestamp: NOON / 1000 + at },
          })
        ));
      const until = NOON + 130_000;
      const values = (query: Partial<MetricQuery>) =>
        read(inbox, { show: "rate", since: NOON, until, now: until, ...query })!
          .groups[0]!.points.map(({ at, value }) => [(at - NOON) / 1000, value]);
      // Nothing is sent from 60 to 90.
      await sent("parts", [0, 30, 60], [30, 60, 60], [98, 120, 44]);
      const all = [0, 10, 20, 30, 40, 50].map((at) => [at, 2]);
      assert.deepEqual(values({ name: "parts", every: 10_000 }), [
        ...[...all, [90, 0.4], [100, 2], [110, 2]],
      ]);
      assert.deepEqual(values({ name: "parts", every: 60_000 }), [[0, 2], [60, 44 / 60]]);
      assert.deepEqual(values({ name: "parts", show: "sum", every: 60_000 }), [[0, 120], [60, 44]]);
      assert.deepEqual(values({ name: "parts", every: 60_000, since: NOON + 40_000 })[0], [0, 2]);
      await sent("total", [58, 60, 1], [58, 90, 1], [58, 120, 61]);
      assert.deepEqual(values({ name: "total", every: 60_000 })[0], [0, 1 / 60]);
      // The start of a sender that does not know it.
      await sent("unknown", [50, 50, 1_000], [50, 80, 1_030]);
      assert.deepEqual(values({ name: "unknown", every: 10_000 })[0], [50, 1]);
    },
  );

  test("one interval → its rate is that of the whole time", async (inbox, add) => {
    const sent = (name: string, from: number, at: number, value: number) =>
      measured([value], {
        ...{ name, type: "counter", is_cumulative: name === "total" },
        ...{ start_timestamp: NOON / 1000 + from, timestamp: NOON / 1000 + at },
      });
    await add(sent("parts", 0, 30, 60), sent("total", 0, 0, 0), sent("total", 0, 30, 60));
    for (const [name, rate] of [["parts", 1], ["total", 2]] as const) {
      for (const show of ["rate", "sum"] as const) {
        const query = { name, show, every: 60_000, now: NOON + 3_600_000 };
        const { figures, points, count } = read(inbox, query)!.groups[0]!;
        assert.deepEqual([figures.sum, figures.rate!.toFixed(3)], [60, `${rate}.000`]);
        const value = show === "rate" ? rate : 60;
        assert.deepEqual(points, [{ at: NOON, value, count }]);
      }
    }
    // No interval begins after its last point.
    const until = { every: 30_000, now: NOON + 3_600_000 };
    const { rate } = read(inbox, { name: "parts", ...until })!.groups[0]!.figures;
    assert.equal(rate!.toFixed(3), "2.000");
  });

  test("histogram without buckets or sums → shown by a figure that it has", async (inbox, add) => {
    const timer = (name: string, rest: Attributes) =>
      measured([0], { name, type: "histogram", count: 20, sum: 3_000, ...rest });
    const buckets = { bounds: [100, 200], counts: [5, 10, 5] };
    await add(timer("timer", {}), timer("counts", { sum: null }), timer("buckets", { buckets }));
    const shown = (name: string, show?: MetricQuery["show"]) => {
      const { figures, groups, ...metric } = read(inbox, { name, show })!;
      return [metric.show, figures.join(" "), groups[0]!.points[0]!.value];
    };
    assert.deepEqual(shown("timer"), ["avg", "avg count rate sum", 150]);
    assert.deepEqual(shown("timer", "p95"), ["p95", "p95 avg count rate sum", null]);
    assert.deepEqual(shown("counts"), ["count", "count rate", 20]);
    assert.deepEqual(shown("buckets").slice(0, 2), ["p95", "p95 p50 p75 p99 avg count rate sum"]);
    // Of fewer than five values in each interval.
    for (const [n, count] of [4, 3].entries()) {
      const few = { count, sum: 300, buckets: { bounds: [100, 200], counts: [count, 0, 0] } };
      await add(timer("few", { ...few, timestamp: NOON / 1000 + 60 * n }));
      const row = inbox.page("metrics", { q: "name:few" }).rows[0]!;
      assert.deepEqual([row.show, row.value], n === 0 ? ["avg", 75] : ["p95", 100]);
      assert.equal(read(inbox, { name: "few", every: 60_000 })!.show, "avg");
    }
    // Without a sum its chart has no averages.
    await add(timer("bounds", { buckets, sum: null }));
    const chart = inbox.page("metrics", { q: "name:bounds" }).rows[0]!.chart;
    assert.deepEqual(chart.filter((value) => value !== null), [200]);
    const { rows: all } = inbox.page("metrics", { q: "-name:bounds -name:few" });
    const rows = all.map(({ name, show, value }) => [name, show, value]);
    assert.deepEqual(rows.sort(), [["buckets", "p95", 200], ["counts", "count", 20], [
      ...["timer", "avg", 150],
    ]]);
  });

  test("samples → with their traces, the largest first", async (inbox, add) => {
    await add(measured([3, 1, 2]));
    const { samples, largest } = read(inbox)!;
    assert.deepEqual(samples.map(({ value, trace_id }) => [value, trace_id]), [
      ...[[3, hexId(0)], [1, hexId(1)], [2, hexId(2)]],
    ]);
    assert.deepEqual(largest.map(({ value }) => value), [3, 2, 1]);
    assert.deepEqual(largest[0]?.attributes, { route: "/cart" });
  });

  test(
    "more samples than dots → of each interval the newest and the largest",
    async (inbox, add) => {
      let time = NOON / 1000;
      const values = Array.from({ length: 9 }, (_, n) => n === 1 ? 100 : n);
      for (const value of values) await add(measured([value], { timestamp: time++ }));
      const query = { since: NOON, until: NOON + 10_000_000, every: 60_000 };
      const { samples, sample_count } = read(inbox, query)!;
      assert.deepEqual([samples.map(({ value }) => value), sample_count], [[100, 8], 9]);
    },
  );

  test(
    "more rows or series than are read → no sum; of others, an earlier time and one envelope all",
    async (inbox, add) => {
      const many = (metrics: number, series: number, rest?: Attributes): TestItem => {
        const [type, { items }] = measured(Array<number>(metrics * series).fill(1), rest) as [
          string,
          { items: readonly Attributes[] },
        ];
        const named = items.map((item, n) => ({
          ...item,
          name: `metric ${n % metrics}`,
          attributes: { user: { value: n } },
        }));
        return [type, { items: named }];
      };
      const counts = (query: ListQuery) =>
        new Set(inbox.page("metrics", query).rows.map(({ count, points }) => `${count} ${points}`));
      await add(many(200, 1, { timestamp: NOON / 1000 - 60 }));
      for (let n = 0; n < 101; n++) await add(many(199, 1));
      const [envelope] = inbox.page("envelopes", { limit: 1 }).rows;
      assert.deepEqual(counts({}), new Set(["null null", "1 1"]));
      assert.deepEqual(counts({ until: NOON }), new Set(["1 1"]));
      assert.deepEqual(counts({ envelope: envelope!.id }), new Set(["1 1"]));
      await inbox.clear();
      await add(many(2, 2_400));
      assert.deepEqual(counts({}), new Set(["2400 2400"]));
      await add(many(2, 2_600));
      assert.deepEqual(counts({}), new Set(["null null"]));
    },
    9_000,
  );

  test("pages of metrics → together the list", async (inbox, add) => {
    const names = Array.from({ length: 5 }, (_, n) => `metric ${n}`);
    for (const name of names) await add(measured([1], { name }));
    const found: string[] = [];
    let before: string | undefined;
    while (found.length < names.length) {
      const { rows, next } = inbox.page("metrics", { limit: 2, before });
      found.push(...rows.map(({ name }) => name));
      before = next ?? undefined;
    }
    assert.deepEqual(found.toSorted(), names);
  });
}
