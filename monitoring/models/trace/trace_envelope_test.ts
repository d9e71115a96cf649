import assert from "node:assert/strict";
import fc from "fast-check";
import { envelopeOf, recorded } from "../../inbox/testdata/envelopes.ts";
import { readTraceEnvelope } from "./trace_envelope.ts";

const TRACE = "0123456789abcdef0123456789abcdef";

const read = (...items: Parameters<typeof envelopeOf>[1][]) =>
  readTraceEnvelope(envelopeOf({ sdk: { name: "sentry.javascript.browser" } }, ...items), 7, TRACE);

Deno.test("recorded spans and transaction → spans with their times, side and envelope", () => {
  const { spans } = readTraceEnvelope(recorded("span"), 3, "bf12261196034272b1f0fa81186c72c4");
  assert.deepEqual(spans.map(({ name, op, parent_span_id }) => [name, op, parent_span_id]), [
    ["compute", "function", "a938e4565abd9fd6"],
    ["checkout", "ui.action", null],
  ]);
  const [compute] = spans;
  assert.ok(Math.abs(compute!.start_ms! - 1795233255826.4) < 0.01);
  assert.ok(Math.abs(compute!.end_ms! - compute!.start_ms! - 5.2) < 0.01);
  assert.deepEqual([compute!.side, compute!.failed, compute!.envelope], ["browser", false, 3]);
  const transaction = recorded("transaction");
  const { spans: [root] } = readTraceEnvelope(transaction, 3, "48e3ef2cb35d42c8a99804d536ce6210");
  assert.deepEqual([root?.name, root?.op], ["checkout", "ui.action"]);
});

Deno.test("transaction → children, statuses and vitals", () => {
  const trace = { trace_id: TRACE, span_id: "a", op: "pageload", status: "ok" };
  const { spans } = read(["transaction", {
    transaction: "/",
    contexts: { trace },
    start_timestamp: 100,
    timestamp: 102,
    measurements: { lcp: { value: 1200, unit: "millisecond" }, cls: { value: 0.2 } },
    spans: [{
      trace_id: TRACE,
      description: "GET /data",
      start_timestamp: "1970-01-01T00:01:41Z",
      timestamp: 101.5,
      status: "internal_error",
    }],
  }]);
  assert.deepEqual(spans[0]!.vitals, [
    { name: "lcp", value: 1200, at_ms: 101_200 },
    { name: "cls", value: 0.2, at_ms: 100_000 },
  ]);
  const [, child] = spans;
  assert.deepEqual([child!.name, child!.start_ms, child!.failed], ["GET /data", 101_000, true]);
});

Deno.test("vitals of a single span (older form) or a streamed page load → at their times", () => {
  const single = {
    trace_id: TRACE,
    op: "ui.webvital.lcp",
    start_timestamp: 5,
    timestamp: 5,
    measurements: { lcp: { value: 900, unit: "millisecond" } },
  };
  const streamed = {
    trace_id: TRACE,
    start_timestamp: 10,
    end_timestamp: 12,
    attributes: {
      "browser.web_vital.fcp.value": { value: 300, type: "double" },
      "browser.web_vital.ttfb.value": { value: "soon", type: "string" },
      "browser.web_vital.inp.value": { value: 8, type: "integer" },
    },
  };
  const { spans } = read(["span", single], ["span", { items: [streamed] }]);
  assert.deepEqual(spans.map(({ vitals }) => vitals), [
    [{ name: "lcp", value: 900, at_ms: 5000 }],
    [{ name: "fcp", value: 300, at_ms: 10_300 }, { name: "inp", value: 8, at_ms: 10_000 }],
  ]);
});

Deno.test("errors and logs of the trace → marks; of other traces → ignored", () => {
  const other = "f".repeat(32);
  const { marks } = read(
    ["event", {
      timestamp: 20,
      contexts: { trace: { trace_id: TRACE, span_id: "a" } },
      exception: {
        values: [{ type: "Cause", value: "inner" }, { type: "TypeError", value: "outer" }],
      },
    }],
    ["event", { timestamp: 20, contexts: { trace: { trace_id: other } } }],
    ["log", {
      items: [
        { timestamp: 21, trace_id: other, level: "info", body: "not ours" },
        { timestamp: 22, trace_id: TRACE, level: "warn", body: "careful" },
      ],
    }],
  );
  assert.deepEqual(marks.map(({ kind, level, text, at_ms }) => [kind, level, text, at_ms]), [
    ["error", "error", "TypeError: outer", 20_000],
    ["log", "warn", "careful", 22_000],
  ]);
});

Deno.test("wrong types everywhere → readable parts, null for the rest", () => {
  const { spans } = read(["span", {
    items: [
      { trace_id: TRACE, span_id: 5, name: ["x"], start_timestamp: {}, status: 7, attributes: [1] },
      null,
      "text",
      { trace_id: TRACE, start_timestamp: 1e300, end_timestamp: -0, attributes: null },
    ],
  }]);
  assert.equal(spans.length, 2);
  assert.notEqual(spans[0]!.span_id, spans[1]!.span_id);
  assert.deepEqual([spans[0]!.start_ms, spans[1]!.start_ms], [null, null]);
  assert.deepEqual(spans[0]!.attributes, {});
});

Deno.test("name of a megabyte → cut", () => {
  const name = "<b>".repeat(350_000);
  const { spans } = read(["span", { items: [{ trace_id: TRACE, span_id: "a", name }] }]);
  assert.ok(spans[0]!.name.length <= 1000);
  assert.ok(spans[0]!.name.startsWith("<b><b>"));
});

Deno.test("not an envelope, or framing broken after a valid item → no parts", () => {
  const valid = envelopeOf({}, ["span", { items: [{ trace_id: TRACE, span_id: "a" }] }]);
  assert.equal(readTraceEnvelope(valid, 1, TRACE).spans.length, 1);
  const broken = new TextEncoder().encode("\n{");
  for (const bytes of [new Uint8Array([...valid, ...broken]), broken]) {
    const { spans, marks } = readTraceEnvelope(bytes, 1, TRACE);
    assert.deepEqual([spans, marks], [[], []]);
  }
});

Deno.test("any JSON in an item → never throws", () => {
  const types = ["transaction", "span", "event", "log"] as const;
  fc.assert(fc.property(fc.constantFrom(...types), fc.json(), (type, json) => {
    read([type, JSON.parse(json)], [type, { items: [JSON.parse(json)], spans: JSON.parse(json) }]);
  }));
});
