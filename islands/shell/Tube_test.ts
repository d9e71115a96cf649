import assert from "node:assert/strict";
import { sizeClass } from "./Tube.tsx";

Deno.test("larger envelope → longer mark, in four classes", () => {
  const bytes = [0, 1024, 1025, 8192, 8193, 65_536, 65_537, 20 * 1024 ** 2];
  assert.deepEqual(bytes.map(sizeClass), [1, 1, 2, 2, 3, 3, 4, 4]);
});
