import assert from "node:assert/strict";
import { Recent } from "./recent.ts";

Deno.test("60 rows → the newest 50, newest first, each signalled once", () => {
  const recent = new Recent<number>();
  let signals = 0;
  const unsubscribe = recent.subscribe(() => signals++);
  for (let n = 0; n < 60; n++) recent.add(n);
  assert.equal(recent.total, 60);
  assert.equal(signals, 60);
  assert.deepEqual(recent.rows, Array.from({ length: 50 }, (_, i) => 59 - i));
  unsubscribe();
  recent.add(60);
  assert.equal(signals, 60);
});
