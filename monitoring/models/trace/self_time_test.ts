import assert from "node:assert/strict";
import { coveredTime, longestSpans, SELF_TIME, selfParts, selfTimes } from "./self_time.ts";
import { placeSpans } from "./span_times.ts";
import { buildSpanTree } from "./span_tree.ts";
import { spanOf } from "./testdata/spans.ts";
import type { TraceSpan } from "./trace_span.ts";

/** Self time in milliseconds; null: the span is left out. */
type Row = readonly [
  id: string,
  parent: string | null,
  start: number,
  end: number | null,
  self: number | null,
  further?: Partial<TraceSpan>,
];
const BROWSER = { side: "browser" } as const;
const HOUR = 3_600_000;

/** A span's operation is its id, without what follows a space. */
const CASES: Readonly<Record<string, readonly Row[]>> = {
  "slow span in a chain of parents → it is the longest, not its parents": [
    ["request", null, 0, 1000, 20],
    ["handler", "request", 10, 990, 90],
    ["query", "handler", 20, 900, 880],
    ["short", "handler", 900, 910, 10],
  ],
  "children overlap, or end after their parent → covered time counted once": [
    ["a", null, 0, 100, 40],
    ["b", "a", 10, 50, 40],
    ["c", "a", 20, 60, 40],
    ["d", "a", 90, 300, 210],
  ],
  "no end, no duration, parent not received → left out": [
    ["open", null, 0, null, null],
    ["point", "lost", 5, 5, null],
    ["a", null, 0, 9, 9],
  ],
  "page load that waits for a click, web vital → left out": [
    ["pageload", null, 0, 1000, null, BROWSER],
    ["ui.webvital.lcp", "pageload", 0, 500, null, BROWSER],
    ["click", "pageload", 900, 950, 50, BROWSER],
  ],
  // From here on, times as @sentry/node 8 and 11 send them.
  "awaits one after the other → the request, not the function that awaits it": [
    ["http.server", null, 0, 750, 67],
    ["function charge", "http.server", 2, 465, 3],
    ["http.client bank", "function charge", 3, 463, 460],
    ["db orders", "http.server", 470, 690, 220],
  ],
  // `startInactiveSpan` makes the function no parent.
  "request beside the function that awaits it → its time is not the function's": [
    ["http.server", null, 0, 515.8, 51.8],
    ["function charge", "http.server", 1, 465, 1.2],
    ["http.client bank", "http.server", 1, 463.8, 462.8],
  ],
  "Promise.all of functions and a request → only overlapping time is subtracted": [
    ["http.server", null, 0, 472, 1],
    ["function charge", "http.server", 0, 471, 2],
    ["http.client bank", "function charge", 2, 471, 469],
    ["function render", "http.server", 6, 456, 243],
    ["http.client stock", "http.server", 5, 213, 208],
  ],
  "middleware ends before the request in it → the request, not the handler": [
    ["http.server", null, 0, 305.5, 2.3],
    ["middleware", "http.server", 1, 2.6, null],
    ["http.client bank", "middleware", 1, 304.2, 303.2],
  ],
  "server of another service, its clock an hour ahead → the request waits for it": [
    ["ui.action.click", null, 0, 500, 20, BROWSER],
    ["http.client order", "ui.action.click", 10, 490, 20, BROWSER],
    ["http.server", "http.client order", HOUR, HOUR + 460, 60],
    ["db orders", "http.server", HOUR + 10, HOUR + 410, 400],
  ],
  "page load, resources at the same time, slow document → its server and each resource": [
    ["http.server", null, 20, 720, 600],
    ["db cart", "http.server", 30, 130, 100],
    ["pageload", "http.server", 0, 1500, null, BROWSER],
    ["browser.request", "pageload", 10, 730, 20, BROWSER],
    ["resource.script", "pageload", 740, 940, 200, BROWSER],
    ["resource.css", "pageload", 740, 800, 60, BROWSER],
    ["ui.long-task", "pageload", 950, 1100, 150, BROWSER],
    ["ui.long_animation_frame", "pageload", 950, 1080, 130, BROWSER],
    ["http.client cart", "pageload", 960, 1360, 400, BROWSER],
    ["function show the cart", "pageload", 955, 1375, 20, BROWSER],
  ],
};

for (const [title, rows] of Object.entries(CASES)) {
  Deno.test(title, () => {
    const tree = buildSpanTree(
      rows.map(([id, parent, start, end, , further]) =>
        spanOf(id, parent, start, end, { op: id.split(" ")[0]!, side: "server", ...further })
      ),
    );
    const found = longestSpans(tree, placeSpans(tree), 9);
    const times = found.map(({ self_ms }) => Math.round(self_ms * 10) / 10);
    assert.deepEqual(times, times.toSorted((one, other) => other - one), "longest first");
    assert.deepEqual(
      new Map(found.map(({ node }, n) => [node.span!.span_id, times[n]])),
      new Map(rows.flatMap(([id, , , , self]) => self === null ? [] : [[id, self]])),
    );
  });
}

Deno.test("queries and requests beside a function, a server's span and a resource → as the tooltip states", () => {
  const ops = ["function", "db", "http.client", "http.server", "resource.script", "pageload"];
  const tree = buildSpanTree([
    spanOf("parent", null, 0, 100, { op: "function" }),
    ...ops.map((op) =>
      spanOf(op, "parent", op === "db" ? 10 : op === "http.client" ? 50 : 0, 60, { op })
    ),
    spanOf("open", "parent", 90, null, { op: "task" }),
  ]);
  const times = selfTimes(tree, placeSpans(tree));
  const self = tree.nodes.slice(1).map((node) => `${node.span!.op} ${times.get(node)}`);
  assert.deepEqual(self.toSorted(), [
    ...["db 50", "function 10", "http.client 10", "http.server 60", "pageload 0"],
    ...["resource.script 60", "task 0"],
  ]);
  for (
    const part of [
      "request or query beside it",
      "without an end",
      "other processes",
      "browser's measurements",
    ]
  ) {
    assert.ok(SELF_TIME.includes(part), part);
  }
});

Deno.test("the same query three times → listed once, with the time in which any of them runs", () => {
  const queries = [[10, 50], [20, 60], [70, 90]].map(([start, end], n) =>
    spanOf(`q${n}`, "r", start!, end!, { op: "db", name: "SELECT" })
  );
  const tree = buildSpanTree([spanOf("r", null, 0, 100), ...queries]);
  assert.deepEqual(
    longestSpans(tree, placeSpans(tree), 9).map((
      { node, self_ms, duration_ms },
    ) => [node.span!.span_id, self_ms, duration_ms]),
    [["q0", 70, 80], ["r", 30, 100]],
  );
  assert.equal(coveredTime([...selfParts(tree, placeSpans(tree)).values()]), 100, "not the sum");
});

Deno.test("span with children → the parts in which it runs itself; a leaf → all of it", () => {
  const tree = buildSpanTree([
    spanOf("a", null, 0, 100),
    spanOf("b", "a", 10, 30),
    spanOf("c", "a", 20, 50),
    spanOf("d", "a", 90, 120),
  ]);
  const parts = selfParts(tree, placeSpans(tree));
  const [root, leaf] = tree.nodes;
  const extents = (node: typeof root) =>
    parts.get(node!)!.map(({ start_ms, end_ms }) => [start_ms, end_ms]);
  assert.deepEqual(extents(root), [[0, 10], [50, 90]]);
  assert.deepEqual(extents(leaf), [[10, 30]]);
});
