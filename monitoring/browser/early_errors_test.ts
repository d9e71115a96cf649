import assert from "node:assert/strict";
import { earlyScript, peekEarlyErrors, takeEarlyErrors } from "./early_errors.ts";

const fail = (message: string) =>
  dispatchEvent(new ErrorEvent("error", { message, cancelable: true }));

Deno.test("60 errors → 50 queued, 10 counted, until they are taken", () => {
  new Function("self", earlyScript)(globalThis);
  for (let i = 0; i < 60; i++) fail("first");
  for (const read of [peekEarlyErrors, takeEarlyErrors]) {
    const { errors, overflow } = read();
    assert.deepEqual([errors.length, overflow], [50, 10]);
    assert.equal((errors[0]?.event as ErrorEvent).message, "first");
  }
  fail("second");
  assert.deepEqual(peekEarlyErrors(), { errors: [], overflow: 0 });
});

Deno.test("inline script → at most 200 characters", () => {
  assert.ok(earlyScript.length <= 200, `${earlyScript.length}`);
  assert.ok(!earlyScript.includes("</"));
});
