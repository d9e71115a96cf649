import assert from "node:assert/strict";
import { withTabLock } from "./tab_lock.ts";
import { replaceLocks } from "./testdata/web_locks.ts";

type Held = (lock: object | null) => unknown;

const grant = async (_name: string, _options: unknown, held: Held) => await held({});
const busy = async (_name: string, _options: unknown, held: Held) => await held(null);
const refuse = () => Promise.reject(new DOMException("denied", "SecurityError"));

const CASES: readonly (readonly [string, unknown, unknown])[] = [
  ["lock is free → the work is run", { request: grant }, 1],
  ["another tab has the lock → the work is not run", { request: busy }, "locked"],
  ["no Web Locks → the work is run", undefined, 1],
  ["Web Locks refused → the work is run", { request: refuse }, 1],
];
for (const [title, locks, result] of CASES) {
  Deno.test(title, async () => {
    using _locks = replaceLocks(locks);
    let times = 0;
    assert.equal(await withTabLock("a", () => Promise.resolve(++times)), result);
    assert.equal(times, result === "locked" ? 0 : 1);
  });
}

Deno.test("work fails under its lock → it is not run again", async () => {
  using _locks = replaceLocks({ request: grant });
  let times = 0;
  const fail = () => {
    times++;
    return Promise.reject(new Error("failed"));
  };
  await assert.rejects(withTabLock("a", fail), /failed/);
  assert.equal(times, 1);
});
