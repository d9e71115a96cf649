import assert from "node:assert/strict";
import type { OwnSpan } from "../../monitoring/models/trace/trace_span.ts";
import { groupByTrace } from "./use_live_spans.ts";

const spanOf = (traceId: string, spanId: string, ended: boolean): OwnSpan => ({
  name: `span ${spanId}`,
  startTime: [1, 0],
  endTime: ended ? [2, 0] : [0, 0],
  ended,
  attributes: {},
  status: { code: 0 },
  spanContext: () => ({ traceId, spanId }),
});

Deno.test("spans of other traces change → a trace keeps its list", () => {
  const done = spanOf("a", "1", true);
  const first = groupByTrace([done, spanOf("b", "2", false)], new Map());
  const later = groupByTrace([done, spanOf("b", "2", false), spanOf("c", "3", true)], first);
  assert.equal(later.get("a"), first.get("a"));
  assert.deepEqual([...later.keys()], ["a", "b", "c"]);
});

Deno.test("a span starts, is open or ends → its trace has a new list", () => {
  const done = spanOf("a", "1", true);
  const first = groupByTrace([done], new Map());
  const started = groupByTrace([done, spanOf("a", "2", false)], first);
  assert.notEqual(started.get("a"), first.get("a"));
  const open = groupByTrace([done, spanOf("a", "2", false)], started);
  assert.notEqual(open.get("a"), started.get("a"));
  const ended = groupByTrace([done, spanOf("a", "2", true)], open);
  assert.equal(ended.get("a")?.[1]?.end_ms, 2000);
});
