import assert from "node:assert/strict";
import { earlyScript, takeEarlyErrors } from "./early_errors.ts";

const fail = (message: string) =>
  dispatchEvent(new ErrorEvent("error", { message, cancelable: true }));

Deno.test("60 errors → 50 queued, 10 counted; page may return from history → later ones queued", () => {
  new Function("self", earlyScript)(globalThis);
  for (let i = 0; i < 60; i++) fail("first");
  const first = takeEarlyErrors(false);
  assert.deepEqual([first.errors.length, first.overflow], [50, 10]);
  fail("second");
  const { errors, overflow } = takeEarlyErrors();
  assert.deepEqual(errors.map(({ event }) => (event as ErrorEvent).message), ["second"]);
  assert.equal(overflow, 0);
});

Deno.test("inline script → at most 200 characters", () => {
  assert.ok(earlyScript.length <= 200, `${earlyScript.length}`);
  assert.ok(!earlyScript.includes("</"));
});
