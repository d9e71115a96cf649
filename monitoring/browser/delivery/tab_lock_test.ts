import assert from "node:assert/strict";
import { withTabLock } from "./tab_lock.ts";
import { replaceLocks } from "./testdata/web_locks.ts";

Deno.test("work fails under its lock → it is not run again", async () => {
  const request = (_name: string, _options: unknown, held: (lock: object) => unknown) => held({});
  using _locks = replaceLocks({ request });
  let times = 0;
  const fail = () => {
    times++;
    return Promise.reject(new Error("failed"));
  };
  await assert.rejects(withTabLock("a", fail), /failed/);
  assert.equal(times, 1);
});
