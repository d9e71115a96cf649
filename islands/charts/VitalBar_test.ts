import assert from "node:assert/strict";
import { formatVital } from "./VitalBar.tsx";

Deno.test("layout shift just above a limit → not rounded to it", () => {
  const shown = [0, 0.1, 0.1004, 0.103, 0.247, 0.2519].map((value) => formatVital("cls", value));
  assert.deepEqual(shown, ["0.00", "0.10", "0.1004", "0.103", "0.25", "0.252"]);
});
