import assert from "node:assert/strict";
import fc from "fast-check";
import { spanOf } from "./testdata/spans.ts";
import { placeSpans } from "./span_times.ts";
import { buildSpanTree } from "./span_tree.ts";
import type { TraceSpan } from "./trace_span.ts";

function place(spans: readonly TraceSpan[], marks?: Parameters<typeof placeSpans>[1]) {
  const tree = buildSpanTree(spans);
  const times = placeSpans(tree, marks);
  const of = (id: string) =>
    times.byNode.get(tree.nodes.find(({ span }) => span?.span_id === id)!)!;
  return { ...times, of };
}

const server = { side: "server" } as const;
const fetched = (end: number | null) => spanOf("fetch", null, 1000, end);
const answered = (start: number, end: number) => spanOf("answer", "fetch", start, end, server);

type Case = readonly [
  title: string,
  spans: readonly TraceSpan[],
  placed: Readonly<Record<string, readonly [start: number, end: number, open?: "no end"]>>,
  skew?: number,
];
const CASES: readonly Case[] = [
  [
    "server span before its request → shifted to the middle, with its children",
    [fetched(1100), answered(400, 440), spanOf("query", "answer", 410, 420, server)],
    { answer: [1030, 1070], query: [1040, 1050] },
    630,
  ],
  [
    "server of another server 3 s ahead → shifted into its request; one on its machine, too",
    [
      spanOf("call", null, 1000, 1100, { ...server, op: "http.client" }),
      spanOf("answer", "call", 4010, 4050, { ...server, op: "http.server" }),
      spanOf("rpc", "answer", 4020, 4030, { ...server, op: "rpc.client" }),
      spanOf("same", "rpc", 4025, 4029, { ...server, op: "rpc.server" }),
      spanOf("queue", "answer", 9000, 9010, { ...server, op: "queue.process" }),
    ],
    { call: [1000, 1100], answer: [1030, 1070], same: [1045, 1049], queue: [6020, 6030] },
    -2980,
  ],
  [
    "server of a server ahead, by the right clock → not shifted",
    [
      fetched(1100),
      answered(4010, 4050),
      spanOf("call", "answer", 4020, 4040, { ...server, op: "http.client" }),
      spanOf("right", "call", 1045, 1050, { ...server, op: "http.server" }),
    ],
    { call: [1040, 1060], right: [1045, 1050] },
    -2980,
  ],
  [
    "server span longer than its request → starts with it",
    [fetched(1010), answered(5000, 5100)],
    { answer: [1000, 1100] },
    -4000,
  ],
  [
    "server span before an open request → starts with it",
    [fetched(null), answered(10, 20)],
    { answer: [1000, 1010] },
    990,
  ],
  [
    "server span starts within its request → not shifted",
    [fetched(1010), answered(1005, 1100)],
    { answer: [1005, 1100] },
  ],
  [
    "server span of the page load → shifted into the browser's request",
    [
      spanOf("answer", null, 9_000, 9_010, server),
      spanOf("load", "answer", 1000, 2000, { op: "pageload" }),
      spanOf("request", "load", 1100, 1150, { op: "browser.request" }),
    ],
    { answer: [1120, 1130], load: [1000, 2000] },
    -7880,
  ],
  [
    "span without end → drawn to the end of the trace",
    [spanOf("a", null, 0, null), spanOf("b", "a", 5, 20)],
    { a: [0, 20, "no end"] },
  ],
  [
    "span ends before its start → drawn at its start",
    [spanOf("a", null, 50, 20), spanOf("b", null, 0, 60)],
    { a: [50, 50] },
  ],
  [
    "child outside its parent → not shifted",
    [spanOf("a", null, 10, 20), spanOf("b", "a", 5, 30)],
    { b: [5, 30] },
  ],
  [
    "span without start → drawn at its end, or the parent's start",
    [spanOf("a", null, 10, 20), spanOf("b", "a", null, 15), spanOf("c", "a", null, null)],
    { b: [15, 15], c: [10, 10] },
  ],
];
for (const [title, spans, placed, skew = 0] of CASES) {
  Deno.test(title, () => {
    const { of, skew_ms } = place(spans);
    for (const [id, expected] of Object.entries(placed)) {
      const { start_ms, end_ms, isOpen } = of(id);
      assert.deepEqual([start_ms, end_ms, ...isOpen ? ["no end"] : []], expected, id);
    }
    assert.equal(skew_ms, skew);
  });
}

Deno.test("errors and logs of a shifted span → shifted with it", () => {
  const marks = [{ at_ms: 410, span_id: "answer" }, { at_ms: 1050, span_id: null }];
  assert.deepEqual(place([fetched(1100), answered(400, 440)], marks).marks, [1040, 1050]);
});

Deno.test("clock wrong by years → axis not stretched", () => {
  const now = 1_795_000_000_000;
  const { start_ms, end_ms, of } = place([
    spanOf("a", null, now, now + 100),
    spanOf("b", "a", 0, now + 50),
    spanOf("c", "a", now + 10, 8.64e15),
    spanOf("d", "a", now + 20, now + 30),
  ], [{ at_ms: -1e14, span_id: null }]);
  assert.deepEqual([start_ms, end_ms], [now, now + 100]);
  assert.deepEqual([of("b").start_ms, of("b").end_ms], [now + 50, now + 50]);
  assert.deepEqual([of("c").start_ms, of("c").end_ms], [now + 10, now + 10]);
});

const anyTime = fc.oneof(
  fc.integer({ min: 0, max: 1000 }),
  fc.constant(null),
  fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true }),
);
const anyId = fc.integer({ min: 0, max: 9 }).map(String);
const anySide = fc.record({ side: fc.constantFrom("browser", "server", "unknown") });
const anySpan = fc.tuple(anyId, fc.option(anyId), anyTime, anyTime, anySide);

Deno.test("any times → every span within the axis", () => {
  fc.assert(fc.property(fc.array(anySpan, { maxLength: 12 }), fc.array(anyTime), (drafts, at) => {
    const tree = buildSpanTree(drafts.map((draft) => spanOf(...draft)));
    const marks = at.map((at_ms) => ({ at_ms, span_id: null }));
    const { start_ms, end_ms, byNode } = placeSpans(tree, marks);
    assert.ok(Number.isFinite(start_ms) && end_ms >= start_ms);
    assert.equal(byNode.size, tree.nodes.length);
    for (const time of byNode.values()) {
      assert.ok(time.start_ms >= start_ms && time.end_ms >= time.start_ms && time.end_ms <= end_ms);
    }
  }));
});
