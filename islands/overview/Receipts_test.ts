import assert from "node:assert/strict";
import { outcomesOverTime } from "./Receipts.tsx";

const at = 1_790_000_000_000;

Deno.test("receipts → each once, in the part of its time, refused and waiting ones apart", () => {
  const { from, to, step, parts } = outcomesOverTime([
    { at: at + 60_000, status: 400 },
    { at: at + 60_000, status: 202, outcome: "spooled" },
    { at, status: 200, outcome: "delivered" },
  ]);
  const partOf = (time: number) => parts[Math.floor((time - from) / step)];
  assert.deepEqual(partOf(at), { count: 1, warnings: 0, failures: 0 });
  assert.deepEqual(partOf(at + 60_000), { count: 2, warnings: 1, failures: 1 });
  assert.equal(parts.length, (to - from) / step);
});

Deno.test("a single receipt → a range that can be drawn", () => {
  const { parts } = outcomesOverTime([{ at, status: 200 }]);
  assert.equal(parts.reduce((sum, { count }) => sum + count, 0), 1);
  assert.ok(parts.length > 1);
});
