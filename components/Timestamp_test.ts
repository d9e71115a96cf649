import assert from "node:assert/strict";
import { startOfDay } from "./format_time.ts";
import { startOfNextDay } from "./Timestamp.tsx";

Deno.test("every day of a year → starts where the previous day ends", () => {
  let day = startOfDay(new Date(2026, 0, 1, 15).getTime());
  for (let count = 1; count <= 365; count++) {
    const next = startOfNextDay(day + 1);
    assert.equal(startOfDay(next), next);
    assert.equal(startOfDay(next - 1), day);
    day = next;
  }
  assert.equal(day, new Date(2027, 0, 1).getTime());
});
