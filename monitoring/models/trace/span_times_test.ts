import assert from "node:assert/strict";
import fc from "fast-check";
import { spanOf } from "./testdata/spans.ts";
import { placeSpans } from "./span_times.ts";
import { buildSpanTree } from "./span_tree.ts";
import type { TraceSpan } from "./trace_span.ts";

function place(spans: readonly TraceSpan[], options?: Parameters<typeof placeSpans>[1]) {
  const tree = buildSpanTree(spans);
  const times = placeSpans(tree, options);
  const of = (id: string) =>
    times.byNode.get(tree.nodes.find(({ span }) => span?.span_id === id)!)!;
  return { ...times, of };
}

const server = { side: "server" } as const;

Deno.test("server span before its request → shifted to the middle, with an anomaly", () => {
  const { of, skew_ms, start_ms } = place([
    spanOf("fetch", null, 1000, 1100),
    spanOf("answer", "fetch", 400, 440, server),
    spanOf("query", "answer", 410, 420, server),
  ]);
  assert.deepEqual([of("answer").start_ms, of("answer").end_ms], [1030, 1070]);
  assert.deepEqual([of("query").start_ms, of("query").shift_ms], [1040, 630]);
  assert.equal(skew_ms, 630);
  assert.equal(start_ms, 1000);
});

Deno.test("server span longer than its request → starts with it", () => {
  const { of } = place([
    spanOf("fetch", null, 1000, 1010),
    spanOf("answer", "fetch", 5000, 5100, server),
  ]);
  assert.equal(of("answer").start_ms, 1000);
});

Deno.test("server span before an open request → starts with it", () => {
  const { of } = place([
    spanOf("fetch", null, 1000, null),
    spanOf("answer", "fetch", 10, 20, server),
  ]);
  assert.deepEqual([of("answer").start_ms, of("answer").end_ms], [1000, 1010]);
});

Deno.test("server span starts within its request → not shifted", () => {
  const { of, skew_ms } = place([
    spanOf("fetch", null, 1000, 1010),
    spanOf("answer", "fetch", 1005, 1100, server),
  ]);
  assert.equal(of("answer").start_ms, 1005);
  assert.equal(skew_ms, 0);
});

Deno.test("server span of the page load → shifted into the browser's request", () => {
  const { of } = place([
    spanOf("answer", null, 9_000, 9_010, server),
    spanOf("load", "answer", 1000, 2000, { op: "pageload" }),
    spanOf("request", "load", 1100, 1150, { op: "browser.request" }),
  ]);
  assert.deepEqual([of("answer").start_ms, of("answer").end_ms], [1120, 1130]);
  assert.equal(of("load").shift_ms, 0);
});

Deno.test("errors and logs of a shifted span → shifted with it", () => {
  const { marks } = place(
    [spanOf("fetch", null, 1000, 1100), spanOf("answer", "fetch", 400, 440, server)],
    { marks: [{ at_ms: 410, span_id: "answer" }, { at_ms: 1050, span_id: null }] },
  );
  assert.deepEqual(marks, [1040, 1050]);
});

Deno.test("span without end → drawn to the end of the trace, with an anomaly", () => {
  const { of } = place([spanOf("a", null, 0, null), spanOf("b", "a", 5, 20)]);
  assert.deepEqual(of("a"), { start_ms: 0, end_ms: 20, shift_ms: 0, anomalies: ["no end"] });
});

Deno.test("open trace → axis ends now", () => {
  assert.equal(place([spanOf("a", null, 0, null)], { now: 70 }).end_ms, 70);
  assert.equal(place([spanOf("a", null, 0, 5)], { now: 70 }).end_ms, 5);
});

Deno.test("span ends before its start → drawn at its start", () => {
  const { of } = place([spanOf("a", null, 50, 20), spanOf("b", null, 0, 60)]);
  assert.deepEqual(of("a"), {
    start_ms: 50,
    end_ms: 50,
    shift_ms: 0,
    anomalies: ["ends before start"],
  });
});

Deno.test("child outside its parent → not shifted, with an anomaly", () => {
  const { of } = place([spanOf("a", null, 10, 20), spanOf("b", "a", 5, 30)]);
  assert.deepEqual(of("b").anomalies, ["before parent", "after parent"]);
});

Deno.test("clock wrong by years → axis not stretched", () => {
  const now = 1_795_000_000_000;
  const { start_ms, end_ms, of } = place([
    spanOf("a", null, now, now + 100),
    spanOf("b", "a", 0, now + 50),
    spanOf("c", "a", now + 10, 8.64e15),
    spanOf("d", "a", now + 20, now + 30),
  ], { marks: [{ at_ms: -1e14, span_id: null }] });
  assert.deepEqual([start_ms, end_ms], [now, now + 100]);
  assert.deepEqual(of("b").anomalies[0], "far away");
  assert.deepEqual([of("c").start_ms, of("c").end_ms], [now + 10, now + 10]);
});

Deno.test("span without start → drawn at its end, or the parent's start", () => {
  const { of } = place([
    spanOf("a", null, 10, 20),
    spanOf("b", "a", null, 15),
    spanOf("c", "a", null, null),
  ]);
  assert.deepEqual([of("b").start_ms, of("b").end_ms], [15, 15]);
  assert.deepEqual([of("c").start_ms, of("c").anomalies[0]], [10, "no start"]);
});

const anyTime = fc.oneof(
  fc.integer({ min: 0, max: 1000 }),
  fc.constant(null),
  fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true }),
);
const anySpan = fc.tuple(
  fc.integer({ min: 0, max: 9 }).map(String),
  fc.option(fc.integer({ min: 0, max: 9 }).map(String)),
  anyTime,
  anyTime,
  fc.record({ side: fc.constantFrom("browser", "server", "unknown") }),
);

Deno.test("any times → every span within the axis", () => {
  fc.assert(fc.property(fc.array(anySpan, { maxLength: 12 }), fc.array(anyTime), (drafts, at) => {
    const tree = buildSpanTree(drafts.map((draft) => spanOf(...draft)));
    const marks = at.map((at_ms) => ({ at_ms, span_id: null }));
    const { start_ms, end_ms, byNode } = placeSpans(tree, { marks });
    assert.ok(Number.isFinite(start_ms) && end_ms >= start_ms);
    assert.equal(byNode.size, tree.nodes.length);
    for (const time of byNode.values()) {
      assert.ok(time.start_ms >= start_ms && time.end_ms >= time.start_ms && time.end_ms <= end_ms);
    }
  }));
});
