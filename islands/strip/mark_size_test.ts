import assert from "node:assert/strict";
import { markSize } from "./mark_size.ts";

Deno.test("a larger envelope has a longer mark, in four steps", () => {
  assert.deepEqual([0, 1024, 1025, 8192, 8193, 65_536, 65_537, 20 * 1024 ** 2].map(markSize), [
    1,
    1,
    2,
    2,
    3,
    3,
    4,
    4,
  ]);
});
