import assert from "node:assert/strict";
import { durationShare } from "./TraceList.tsx";

Deno.test("duration → its place between 1 ms and 1 min, by powers of ten", () => {
  const shares = [0, 0.4, 1, 10, 1_000, 60_000, 3_600_000].map((ms) =>
    durationShare(ms).toFixed(2)
  );
  assert.deepEqual(shares, ["0.00", "0.00", "0.00", "0.21", "0.63", "1.00", "1.00"]);
});
