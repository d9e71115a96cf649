import assert from "node:assert/strict";
import type { ApplicationRow, TraceRow } from "../../monitoring/models/rows.ts";
import { endpointsOf } from "./application_facts.tsx";

const trace = (name: string | null, ms: number | null, failed = false) =>
  ({
    name,
    op: "http.server",
    spans: 1,
    started_at: 1_000,
    ended_at: ms === null ? null : 1_000 + ms,
    failed,
  }) as TraceRow;

Deno.test("traces → endpoints by name, slowest first; a median of at least five that have ended", () => {
  const traces = [
    ...[10, 30, 20, 50, 40].map((ms) => trace("GET /cart", ms)),
    trace("POST /checkout", 300, true),
    trace("POST /checkout", null),
    trace(null, 900),
  ];
  const found = endpointsOf({ key: "shop" } as ApplicationRow, traces);
  assert.deepEqual(found.map(({ name, median }) => [name, median]), [
    ["POST /checkout", null],
    ["GET /cart", 30],
  ]);
  assert.deepEqual(found[0]!.requests, [{ ms: 300, failed: true }]);
});
