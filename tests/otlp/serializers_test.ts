/** What OpenTelemetry's exporters for JavaScript write, in protobuf and in JSON, is read as the same telemetry. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import fc from "fast-check";
import { decodeOtlp } from "../../monitoring/models/otlp/decode.ts";
import { at, listOf } from "../../monitoring/models/json.ts";
import { changesOf } from "../../monitoring/models/metric/changes.ts";
import { Values } from "../../monitoring/models/metric/figures.ts";
import { MetricCollector, type SentMetric } from "../../monitoring/models/metric/metric_entry.ts";
import { type OtlpTelemetry, readOtlp } from "../../monitoring/models/otlp/otlp_telemetry.ts";
import { exportAnswer } from "../../monitoring/otlp/answers.ts";
import { installOpenTelemetry, openTelemetry } from "../sdks/installed.ts";

const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: digits, maxLength: digits })
    // Zeros are no id.
    .map((id) => `${id.slice(1)}1`);
const spanContext = fc.record({
  traceId: hex(32),
  spanId: hex(16),
  traceFlags: fc.constantFrom(0, 1),
  isRemote: fc.boolean(),
});
const hrTime = fc.tuple(fc.integer({ min: 1.7e9, max: 1.8e9 }), fc.nat(999_999_999));
const text = fc.string({ unit: "grapheme", maxLength: 30 });
const scalar = fc.oneof(
  text,
  fc.boolean(),
  fc.maxSafeInteger(),
  // JSON does not tell a whole double from an integer.
  fc.double({ noNaN: true, min: -1e6, max: 1e6 }).filter((value) => !Number.isInteger(value)),
);
const attributes = fc.dictionary(text, fc.oneof(scalar, fc.array(scalar, { maxLength: 3 })), {
  maxKeys: 5,
});
const resource = fc.record({ attributes, asyncAttributesPending: fc.constant(false) });
const dropped = fc.nat(3);
const common = {
  resource,
  instrumentationScope: fc.record({ name: text, version: text }),
  attributes,
  droppedAttributesCount: dropped,
};

/** `ReadableSpan`, as far as exporters read it. */
const span = fc.record({
  ...common,
  name: text,
  kind: fc.nat(4),
  spanContext: spanContext.map((context) => () => context),
  parentSpanContext: fc.option(spanContext, { nil: undefined }),
  startTime: hrTime,
  endTime: hrTime,
  status: fc.record({ code: fc.nat(2), message: fc.option(text, { nil: undefined }) }),
  links: fc.array(fc.record({ context: spanContext, attributes }), { maxLength: 2 }),
  events: fc.array(
    fc.record({ name: fc.oneof(text, fc.constant("exception")), time: hrTime, attributes }),
    { maxLength: 2 },
  ),
  droppedEventsCount: dropped,
  droppedLinksCount: dropped,
});

/** `ReadableLogRecord`, as far as exporters read it. */
const log = fc.record({
  ...common,
  hrTime,
  hrTimeObserved: hrTime,
  spanContext: fc.option(spanContext, { nil: undefined }),
  severityNumber: fc.nat(24),
  severityText: text,
  body: fc.oneof(scalar, fc.array(scalar), attributes),
  eventName: fc.option(text, { nil: undefined }),
});

const count = fc.nat(1_000);
const side = fc.record({ offset: fc.integer({ min: -9, max: 9 }), bucketCounts: fc.array(count) });
// JSON has no -0.
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const optional = fc.option(double, { nil: undefined });
const totals = { sum: optional, min: optional, max: optional, count };
const VALUES = {
  number: double,
  histogram: fc.array(count, { minLength: 1, maxLength: 5 }).chain((counts) =>
    fc.record({
      ...totals,
      buckets: fc.constant({ boundaries: counts.slice(1).map((_, n) => n + 0.5), counts }),
    })
  ),
  exponential: fc.record({
    ...{ ...totals, scale: fc.integer({ min: -9, max: 9 }), zeroCount: count },
    ...{ positive: side, negative: side },
  }),
};
/** `MetricData`, as far as exporters read it. The types of points are the SDK's enum. */
const metricOf = (dataPointType: number, value: keyof typeof VALUES) =>
  fc.record({
    descriptor: fc.record({ name: text, description: text, unit: text, valueType: fc.constant(1) }),
    ...{ aggregationTemporality: fc.nat(1), isMonotonic: fc.boolean() },
    dataPointType: fc.constant(dataPointType),
    dataPoints: fc.array(
      fc.record({
        startTime: hrTime,
        endTime: hrTime,
        attributes,
        value: VALUES[value] as fc.Arbitrary<unknown>,
      }),
      { maxLength: 3 },
    ),
  });
const metric = fc.oneof(
  ...[metricOf(0, "histogram"), metricOf(1, "exponential")],
  ...[metricOf(2, "number"), metricOf(3, "number")],
);
/** `ResourceMetrics` */
const metrics = fc.record({
  resource,
  scopeMetrics: fc.array(
    fc.record({ scope: fc.record({ name: text }), metrics: fc.array(metric, { maxLength: 5 }) }),
    { maxLength: 2 },
  ),
});

const SIGNALS = [
  { signal: "traces", name: "Trace", records: fc.array(span, { maxLength: 5 }) },
  { signal: "logs", name: "Logs", records: fc.array(log, { maxLength: 5 }) },
  { signal: "metrics", name: "Metrics", records: metrics },
] as const;

Deno.test.beforeAll(installOpenTelemetry);

for (const version of ["0.223.1", "0.301.1"]) {
  for (const { signal, name, records } of SIGNALS) {
    const serializers = () => {
      const folder = openTelemetry("otlp-transformer", version);
      const transformer = createRequire(`${folder}/`)(folder);
      return {
        protobuf: transformer[`Protobuf${name}Serializer`],
        json: transformer[`Json${name}Serializer`],
      };
    };

    Deno.test(`${signal} of exporters ${version}, protobuf and JSON → the same telemetry`, () => {
      const { protobuf, json } = serializers();
      // deno-lint-ignore no-explicit-any -- the generated records are not of the SDK's types
      fc.assert(fc.property(records as fc.Arbitrary<any>, (sent) => {
        const read = (bytes: Uint8Array, encoding: "json" | "protobuf") =>
          readOtlp(decodeOtlp(bytes, `otlp-${signal}-${encoding}`), signal);
        const telemetry = read(protobuf.serializeRequest(sent), "protobuf");
        assert.deepEqual(telemetry, read(json.serializeRequest(sent), "json"));
        if (signal === "metrics") return comparePoints(sent, telemetry);
        assert.equal(telemetry.rejected, 0);
        const types = telemetry.resources.flatMap(({ items }) => items.map(({ type }) => type));
        const type = signal === "traces" ? "span" : "log";
        assert.equal(types.includes(type), sent.length > 0);
      }));
    });

    Deno.test(`answers to ${signal} of exporters ${version} → read by the exporter`, () => {
      const { protobuf, json } = serializers();
      const partial = { rejected: 300, message: "why" };
      const rejected = {
        traces: "rejectedSpans",
        logs: "rejectedLogRecords",
        metrics: "rejectedDataPoints",
      }[signal];
      for (const [serializer, encoding] of [[protobuf, "protobuf"], [json, "json"]] as const) {
        const { body } = exportAnswer(signal, encoding, partial);
        const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
        const { partialSuccess } = serializer.deserializeResponse(bytes);
        assert.equal(Number(partialSuccess[rejected]), 300);
        assert.equal(partialSuccess.errorMessage, "why");
      }
    });
  }
}

for (const [temporality, name] of [[0, "delta"], [1, "cumulative"]] as const) {
  Deno.test(`counter and histogram of the SDK, ${name} → the sums that were counted`, async () => {
    const folder = openTelemetry("otlp-transformer", "0.301.1");
    const require = createRequire(`${folder}/`);
    const { MeterProvider, MetricReader } = require("@opentelemetry/sdk-metrics");
    class Reader extends MetricReader {
      constructor(options: object) {
        super(options);
      }
      onShutdown() {}
      onForceFlush() {}
    }
    const reader = new Reader({ aggregationTemporalitySelector: () => temporality });
    const meter = new MeterProvider({ readers: [reader] }).getMeter("shop");
    const counter = meter.createCounter("orders");
    const histogram = meter.createHistogram("duration", { unit: "ms" });
    const collector = new MetricCollector();
    const from = Date.now() - 1_000;
    for (const values of [[3, 4], [], [20, 700, 6]]) {
      for (const value of values) {
        counter.add(value, { route: "/cart" });
        histogram.record(value);
      }
      // Two points of one time are one.
      for (const before = Date.now(); Date.now() === before;);
      const { resourceMetrics } = await reader.collect();
      const bytes = require(folder).ProtobufMetricsSerializer.serializeRequest(resourceMetrics);
      const { resources } = readOtlp(decodeOtlp(bytes, "otlp-metrics-protobuf"), "metrics");
      for (const item of resources.flatMap(({ items }) => listOf(at(items[0]?.json, "items")))) {
        assert.ok(collector.add(item, Date.now()));
      }
    }
    const figures = collector.entries.map(({ name, kind, unit, attributes, points }) => {
      const { changes, withoutStart } = changesOf(points, kind, from, Infinity);
      assert.deepEqual(withoutStart, []);
      const values = new Values(kind);
      for (const change of changes) values.add(change);
      return [name, kind, unit, attributes, values.figure("sum", 1_000)];
    });
    assert.deepEqual(figures, [
      ["orders", "counter", "", { route: "/cart" }, 733],
      ["duration", "histogram", "ms", {}, 733],
    ]);
  });
}

/** The points are those of the metrics with a name, in their order. */
// deno-lint-ignore no-explicit-any -- the generated records are not of the SDK's types
function comparePoints(sent: any, { resources, sent: points, rejected }: OtlpTelemetry): void {
  // deno-lint-ignore no-explicit-any
  const all: any[] = sent.scopeMetrics.flatMap(({ metrics }: any) => metrics);
  assert.equal(points, all.flatMap(({ dataPoints }) => dataPoints).length);
  const named = all.filter(({ descriptor }) => descriptor.name.trim() !== "");
  const expected = named.flatMap(({ descriptor: { name }, dataPoints }) =>
    // deno-lint-ignore no-explicit-any
    dataPoints.map(({ value }: any) =>
      typeof value === "number" ? [name, value] : [
        ...[name, value.count, value.buckets?.counts ?? value.positive.bucketCounts],
        value.min ?? null,
      ]
    )
  );
  const items = resources.flatMap(({ items }) =>
    items.flatMap(({ json }) => listOf(at(json, "items")))
  );
  assert.equal(rejected, points - items.length);
  assert.deepEqual(
    (items as SentMetric[]).map(({ name, value, count, min, buckets }) =>
      count === undefined ? [name, value] : [
        ...[name, count, "counts" in buckets! ? buckets.counts : buckets!.positive.counts],
        min,
      ]
    ),
    expected,
  );
}
