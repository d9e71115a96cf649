import assert from "node:assert/strict";
import { underTabLock } from "./tab_lock.ts";

/** Runs `test` in a browser that has these locks. */
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

Deno.test("work is done under a lock, and not while another tab has it", async () => {
  let free = true;
  const request = (_name: string, _options: unknown, held: Held) =>
    Promise.resolve(held(free ? {} : null));
  await withLocks({ request }, async () => {
    assert.deepEqual(await underTabLock("a", () => Promise.resolve(1)), 1);
    free = false;
    const work = () => Promise.reject(new Error("done all the same"));
    assert.equal(await underTabLock("a", work), "taken");
  });
});

Deno.test("work is done where there are no locks, or where the browser refuses them", async () => {
  const refused = () => Promise.reject(new DOMException("denied", "SecurityError"));
  for (const locks of [undefined, { request: refused }]) {
    await withLocks(locks, async () => {
      let times = 0;
      const locked = await underTabLock("a", () => Promise.resolve(++times));
      assert.deepEqual(locked, 1);
    });
  }
});

Deno.test("work that fails under its lock is not done twice", async () => {
  const request = async (_name: string, _options: unknown, held: Held) => await held({});
  await withLocks({ request }, async () => {
    let times = 0;
    const fail = () => {
      times++;
      return Promise.reject(new Error("failed"));
    };
    await assert.rejects(underTabLock("a", fail), /failed/);
    assert.equal(times, 1);
  });
});
