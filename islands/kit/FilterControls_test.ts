import assert from "node:assert/strict";
import { toLocalTime } from "./FilterControls.tsx";

Deno.test("milliseconds → local minute that parses back; other text → empty", () => {
  const minute = 1_795_262_400_000;
  const text = toLocalTime(String(minute + 12_345));
  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
  assert.equal(Date.parse(text), minute);
  for (const other of ["", "10m", "-1", "9".repeat(15)]) assert.equal(toLocalTime(other), "");
});
