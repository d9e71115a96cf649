import assert from "node:assert/strict";
import fc from "fast-check";
import { markOf, spanOf } from "./testdata/spans.ts";
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
    "tasks queued by a server ahead → corrected as it, or not: whichever starts first after it",
    [
      fetched(1100),
      answered(4010, 4050),
      spanOf("right", "answer", 1060, 1070, { ...server, application: "mail" }),
      spanOf("below", "right", 1062, 1064, { ...server, application: "mail" }),
      spanOf("same", "answer", 4060, 4070, { ...server, application: "images" }),
    ],
    { answer: [1030, 1070], right: [1060, 1070], below: [1062, 1064], same: [1080, 1090] },
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
  const marks = [markOf(410, { span_id: "answer" }), markOf(1050)];
  const placed = place([fetched(1100), answered(400, 440)], marks).marks;
  assert.deepEqual(placed.map(({ at_ms }) => at_ms), [1040, 1050]);
});

/** Clock of the page right, of the API 1 s ahead, of the worker 3 s behind. */
const page = { application: "web" } as const;
const api = { ...server, application: "api" } as const;
const worker = { ...server, application: "worker" } as const;
const THREE_CLOCKS = [
  spanOf("load", null, 10_000, 16_000, page),
  spanOf("fetch", "load", 10_000, 10_100, page),
  spanOf("answer", "fetch", 11_010, 11_090, { ...api, op: "http.server" }),
  spanOf("call", "answer", 11_020, 11_080, { ...api, op: "http.client" }),
  spanOf("work", "call", 7_030, 7_070, { ...worker, op: "http.server" }),
];

Deno.test("three clocks → each application's spans and marks by the page's", () => {
  const spans = [
    ...THREE_CLOCKS,
    spanOf("orphan", "lost", 11_200, 11_210, api),
    spanOf("below", "orphan", 11_202, 11_204, api),
    spanOf("own root", null, 7_200, 7_210, worker),
    spanOf("queue", "answer", 7_300, 7_310, { ...worker, op: "queue.process" }),
    spanOf("slow fetch", "load", 10_400, 16_000, page),
    spanOf("slow", "slow fetch", 11_500, 16_900, api),
  ];
  const marks = [
    markOf(10_050, page),
    markOf(11_050, api),
    markOf(7_050, worker),
    markOf(11_205, { ...api, span_id: "below" }),
    markOf(12_000, { application: "other" }),
  ];
  const { of, byNode, marks: placed, ...times } = place(spans, marks);
  const starts = spans.slice(2).map(({ span_id }) => [span_id, of(span_id).start_ms]);
  assert.deepEqual(Object.fromEntries(starts), {
    answer: 10_010,
    call: 10_020,
    work: 10_030,
    orphan: 10_200,
    below: 10_202,
    "own root": 10_200,
    queue: 10_300,
    "slow fetch": 10_400,
    slow: 10_500,
  });
  const lost = [...byNode].find(([{ key }]) => key === "missing:lost")?.[1];
  assert.deepEqual([lost?.start_ms, lost?.end_ms], [10_200, 10_210]);
  assert.deepEqual(placed.map(({ at_ms, isKnown }) => [at_ms, isKnown]), [
    [10_050, true],
    [10_050, true],
    [10_050, true],
    [10_205, true],
    [12_000, false],
  ]);
  assert.deepEqual(times, { start_ms: 10_000, end_ms: 16_000, skew_ms: 3_000, skewed: 2 });
});

Deno.test("trace without a page → by the first server's clock, also what has no caller", () => {
  const spans = [
    ...THREE_CLOCKS.slice(2).map((span, i) => i === 0 ? { ...span, parent_span_id: null } : span),
    spanOf("orphan", "lost", 7_040, 7_050, worker),
    spanOf("second root", null, 11_200, 11_210, api),
  ];
  const { of, marks } = place(spans, [markOf(7_050, worker), markOf(11_050, api)]);
  assert.deepEqual(
    ["answer", "work", "orphan", "second root"].map((id) => of(id).start_ms),
    [11_010, 11_030, 11_040, 11_200],
  );
  assert.deepEqual(marks.map(({ at_ms }) => at_ms), [11_050, 11_050]);
});

Deno.test("clock wrong by years → axis not stretched", () => {
  const now = 1_795_000_000_000;
  const { start_ms, end_ms, of } = place([
    spanOf("a", null, now, now + 100),
    spanOf("b", "a", 0, now + 50),
    spanOf("c", "a", now + 10, 8.64e15),
    spanOf("d", "a", now + 20, now + 30),
  ], [markOf(-1e14)]);
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
const anySide = fc.record({
  side: fc.constantFrom("browser", "server", "unknown"),
  application: fc.constantFrom("web", "api", null),
});
const anySpan = fc.tuple(anyId, fc.option(anyId), anyTime, anyTime, anySide);

Deno.test("any times → every span within the axis", () => {
  fc.assert(fc.property(fc.array(anySpan, { maxLength: 12 }), fc.array(anyTime), (drafts, at) => {
    const tree = buildSpanTree(drafts.map((draft) => spanOf(...draft)));
    const marks = at.map((at_ms) => markOf(at_ms, { application: "api" }));
    const { start_ms, end_ms, byNode } = placeSpans(tree, marks);
    assert.ok(Number.isFinite(start_ms) && end_ms >= start_ms);
    assert.equal(byNode.size, tree.nodes.length);
    for (const time of byNode.values()) {
      assert.ok(time.start_ms >= start_ms && time.end_ms >= time.start_ms && time.end_ms <= end_ms);
    }
  }));
});
