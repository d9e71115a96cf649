import assert from "node:assert/strict";
import { withTabLock } from "./tab_lock.ts";

/** Runs `test` with these `navigator.locks`. */
async function withLocks(locks: unknown, test: () => Promise<void>): Promise<void> {
  const before = Object.getOwnPropertyDescriptor(navigator, "locks");
  Object.defineProperty(navigator, "locks", { value: locks, configurable: true });
  try {
    await test();
  } finally {
    if (before) Object.defineProperty(navigator, "locks", before);
    else Reflect.deleteProperty(navigator, "locks");
  }
}

type Held = (lock: object | null) => unknown;

Deno.test("another tab has the lock → the work is not run", async () => {
  let free = true;
  const request = (_name: string, _options: unknown, held: Held) =>
    Promise.resolve(held(free ? {} : null));
  await withLocks({ request }, async () => {
    assert.deepEqual(await withTabLock("a", () => Promise.resolve(1)), 1);
    free = false;
    const work = () => Promise.reject(new Error("was run"));
    assert.equal(await withTabLock("a", work), "locked");
  });
});

Deno.test("no Web Locks, or refused → the work is run", async () => {
  const refused = () => Promise.reject(new DOMException("denied", "SecurityError"));
  for (const locks of [undefined, { request: refused }]) {
    await withLocks(locks, async () => {
      let times = 0;
      const locked = await withTabLock("a", () => Promise.resolve(++times));
      assert.deepEqual(locked, 1);
    });
  }
});

Deno.test("work fails under its lock → it is not run again", async () => {
  const request = async (_name: string, _options: unknown, held: Held) => await held({});
  await withLocks({ request }, async () => {
    let times = 0;
    const fail = () => {
      times++;
      return Promise.reject(new Error("failed"));
    };
    await assert.rejects(withTabLock("a", fail), /failed/);
    assert.equal(times, 1);
  });
});
