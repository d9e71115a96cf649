import assert from "node:assert/strict";
import type { OwnSpan } from "../../monitoring/models/trace/trace_span.ts";
import { readOwnTraces } from "./own_traces.ts";

const spanOf = (traceId: string, spanId: string, ended: boolean): OwnSpan => ({
  name: `span ${spanId}`,
  startTime: [1, 0],
  endTime: ended ? [2, 0] : [0, 0],
  ended,
  attributes: {},
  status: { code: 0 },
  spanContext: () => ({ traceId, spanId }),
});

Deno.test("a trace is the same as before while other traces of the page go on", () => {
  const done = spanOf("a", "1", true);
  const first = readOwnTraces([done, spanOf("b", "2", false)], new Map());
  const later = readOwnTraces([done, spanOf("b", "2", false), spanOf("c", "3", true)], first);
  assert.equal(later.get("a"), first.get("a"));
  assert.deepEqual([...later.keys()], ["a", "b", "c"]);
});

Deno.test("a trace is another one when a span of it begins, ends or is open", () => {
  const done = spanOf("a", "1", true);
  const first = readOwnTraces([done], new Map());
  const begun = readOwnTraces([done, spanOf("a", "2", false)], first);
  assert.notEqual(begun.get("a"), first.get("a"));
  const open = readOwnTraces([done, spanOf("a", "2", false)], begun);
  assert.notEqual(open.get("a"), begun.get("a"));
  const ended = readOwnTraces([done, spanOf("a", "2", true)], open);
  assert.equal(ended.get("a")?.[1]?.end_ms, 2000);
});
