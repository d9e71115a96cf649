import assert from "node:assert/strict";
import { earlyScript, takeEarlyErrors } from "./early.ts";

const fail = (message: string) =>
  dispatchEvent(new ErrorEvent("error", { message, cancelable: true }));

Deno.test("what fails before the SDK is kept with its time and handed over once", () => {
  new Function("self", earlyScript)(globalThis);
  const before = Date.now();
  fail("first");
  fail("second");
  const { errors, overflow } = takeEarlyErrors();
  assert.deepEqual(errors.map(({ event }) => (event as ErrorEvent).message), ["first", "second"]);
  assert.equal(overflow, 0);
  assert.ok(errors.every(({ event, at }) => at === performance.timeOrigin + event.timeStamp));
  assert.ok(Math.abs(errors[0]!.at - before) < 10_000);

  fail("third");
  assert.deepEqual(takeEarlyErrors(), { errors: [], overflow: 0 });
});

Deno.test("taken while the page may return from the back/forward cache → later errors are kept", () => {
  new Function("self", earlyScript)(globalThis);
  for (let i = 0; i < 60; i++) fail("first");
  assert.equal(takeEarlyErrors(false).overflow, 10);
  fail("second");
  const { errors, overflow } = takeEarlyErrors();
  assert.deepEqual(errors.map(({ event }) => (event as ErrorEvent).message), ["second"]);
  assert.equal(overflow, 0);
});

Deno.test("a page that fails without end is counted, not kept", () => {
  new Function("self", earlyScript)(globalThis);
  for (let i = 0; i < 60; i++) fail("again");
  const { errors, overflow } = takeEarlyErrors();
  assert.equal(errors.length, 50);
  assert.equal(overflow, 10);
});

Deno.test("the inline script stays small", () => {
  assert.ok(earlyScript.length <= 200, `${earlyScript.length}`);
  assert.ok(!earlyScript.includes("</"));
});
