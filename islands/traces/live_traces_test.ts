import assert from "node:assert/strict";
import { spanOf } from "../../monitoring/models/trace/testdata/spans.ts";
import { withLiveTraces } from "./live_traces.ts";
import { traceRow } from "../testdata/rows.ts";

const row = traceRow();

Deno.test("trace without a received envelope → listed first, live", () => {
  const spans = [
    spanOf("a", null, 10, 30),
    spanOf("b", "a", 12, null, { op: "navigation", name: "/next" }),
  ];
  const [first, second] = withLiveTraces([row], new Map([["new", spans]]), 40);
  const { trace_id, name, started_at, ended_at, live } = first!;
  assert.deepEqual([trace_id, name, started_at, ended_at, live], ["new", "/next", 12, null, true]);
  assert.equal(second, row, "what did not change is the same object: it is not drawn again");
});

Deno.test("listed trace with open spans of this page → counts them", () => {
  const spans = [spanOf("a", null, 1, 5), spanOf("b", "a", 1, 5), spanOf("c", "a", 4, null)];
  const [listed, ...others] = withLiveTraces([row], new Map([["known", spans]]), 40);
  assert.deepEqual([listed?.spans, listed?.errors, listed?.live, others.length], [3, 1, true, 0]);
});

Deno.test("listed trace with only an error received → name from this page", () => {
  const bare = { ...row, name: "TypeError: x", op: null, started_at: 9, ended_at: null, spans: 0 };
  const spans = [spanOf("a", null, 3, null, { op: "pageload", name: "/" })];
  const [listed] = withLiveTraces([bare], new Map([["known", spans]]), 40);
  assert.deepEqual(
    [listed?.name, listed?.op, listed?.started_at, listed?.spans, listed?.errors],
    ["/", "pageload", 3, 1, 1],
  );
});

Deno.test("listed trace of this page, all spans ended → not live", () => {
  const [listed] = withLiveTraces([row], new Map([["known", [spanOf("a", null, 1, 5)]]]), 40);
  assert.equal(listed?.live, false);
});
