import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { LEASE_MS } from "../../monitoring/relay/spool/spool.ts";
import { openSqliteSpool } from "../../monitoring/relay/spool/sqlite_spool.ts";
import { BOTH_DSNS, keyOf, numberOf } from "../../monitoring/relay/spool/testdata/envelopes.ts";
import { startChild } from "./_start_child.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

const KILLS = 24;
/** Distance of the numbers of two children, so that no two put the same envelope. */
const STRIDE = 100_000;

Deno.test(`process killed ${KILLS} times during puts → all acknowledged envelopes are in the spool`, async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "spool.sqlite");
  const acknowledged: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const child = startChild("put", path, { args: [String(kill * STRIDE)] });
    const after = 1 + Math.floor(Math.random() * 300);
    let seen = 0;
    // Lines in the pipe at the kill were acknowledged too.
    for await (const line of child.lines) {
      acknowledged.push(Number(line));
      if (++seen === after) child.process.kill("SIGKILL");
    }
    assert.equal((await child.process.status).signal, "SIGKILL");
    assert.ok(seen >= after);
  }
  const spool = await openSqliteSpool({ path, maxBytes: 1e12, maxAgeHours: 1 });
  const missing: number[] = [];
  await Promise.all(acknowledged.map(async (n) => {
    if (!await spool.has(keyOf(n))) missing.push(n);
  }));
  assert.deepEqual(missing, []);
  const { pending } = await spool.stats();
  // Plus the puts that were running at each kill.
  assert.ok(pending >= acknowledged.length && pending <= acknowledged.length + KILLS * 16);
  await spool.close();
  const db = new DatabaseSync(path);
  assert.deepEqual({ ...db.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" });
  db.close();
});

Deno.test("process killed with leases → free after 30 seconds", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "spool.sqlite");
  const filler = startChild("put", path);
  const first: number[] = [];
  for await (const line of filler.lines) {
    if (first.push(Number(line)) === 50) filler.process.kill("SIGKILL");
  }
  const holder = startChild("hold", path, { args: ["10"] });
  const held: number[] = [];
  for await (const line of holder.lines) {
    if (held.push(Number(line)) === 10) holder.process.kill("SIGKILL");
  }
  const spool = await openSqliteSpool({ path, maxBytes: 1e12, maxAgeHours: 1e6 });
  const lease = async (now: number) =>
    (await spool.lease({ now, limit: 1e6, maxBytes: 1e12, dsns: BOTH_DSNS })).map(numberOf);
  const now = Date.now();
  const others = await lease(now);
  assert.ok(others.length >= 40);
  assert.deepEqual(others.filter((n) => held.includes(n)), []);
  const later = await lease(now + LEASE_MS);
  assert.deepEqual(held.filter((n) => !later.includes(n)), []);
  await spool.close();
});
