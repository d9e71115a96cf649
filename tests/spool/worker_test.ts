import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadConfig } from "../../config/config.ts";
import { type Spool, SpoolUnavailableError } from "../../monitoring/relay/spool/spool.ts";
import { openSqliteSpool } from "../../monitoring/relay/spool/sqlite_spool.ts";
import { envelope, keyOf } from "../../monitoring/relay/spool/testdata/envelopes.ts";
import { serverPermissions } from "../../tools/run/permissions.ts";
import { runDeno } from "../harness/run_program.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { until } from "../harness/until.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TESTDATA = new URL("../../monitoring/relay/spool/testdata/", import.meta.url);
const FAILING = new URL("failing_worker.ts", TESTDATA);
const LEFT_OPEN = new URL("left_open.ts", TESTDATA);

const open = (path: string, worker?: URL) =>
  openSqliteSpool({ path, maxBytes: 1e9, maxAgeHours: 1, ...(worker && { worker }) });

/** Polls until the spool works again; until then it has the right error. */
async function untilAvailable(spool: Spool): Promise<void> {
  await until("the spool works again", async () => {
    const error = await spool.stats().then(() => undefined, (error) => error);
    assert.ok(error === undefined || error instanceof SpoolUnavailableError, `${error}`);
    return error === undefined;
  });
}

const FAULTS = [
  { fault: "exit", reason: /its worker ended/, isKept: false },
  { fault: "throw", reason: /a fault/, isKept: true },
];

for (const { fault, reason, isKept } of FAULTS) {
  Deno.test(`worker fails during a batch (${fault}) → all its calls rejected, then a new worker`, async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "data", "spool.sqlite");
    const spool = await open(path, FAILING);
    assert.equal(await spool.put(envelope(1)), "kept");
    for (const round of [10, 20]) {
      const waiting = [
        spool.put(envelope(round)),
        spool.put(envelope(round + 1, { userAgent: fault })),
        spool.put(envelope(round + 2)),
      ];
      for (const result of await Promise.allSettled(waiting)) {
        assert.ok(result.status === "rejected");
        assert.ok(result.reason instanceof SpoolUnavailableError);
        assert.match(result.reason.message, reason);
      }
      await untilAvailable(spool);
      assert.equal(await spool.has(keyOf(1)), true);
      // No lock is left; an unacknowledged batch is kept completely or not at all.
      assert.deepEqual(
        await Promise.all([0, 1, 2].map((n) => spool.has(keyOf(round + n)))),
        [isKept, isKept, isKept],
      );
      assert.equal(await spool.put(envelope(round + 3)), "kept");
    }
    await spool.close();
  });
}

Deno.test("worker always crashes → restarted at most once a second", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "data", "spool.sqlite");
  const spool = await open(path, FAILING);
  const start = performance.now();
  for (let crash = 0; crash < 2; crash++) {
    await assert.rejects(spool.put(envelope(1, { userAgent: "exit" })), SpoolUnavailableError);
    await untilAvailable(spool);
  }
  assert.ok(performance.now() - start > 1_000);
  await spool.close();
});

Deno.test("spool and drain left open → the process ends, with the server's permissions", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "data", "spool.sqlite");
  const config = loadConfig({ DATA_DIR: dirname(path) });
  const permissions = serverPermissions(config, { root: ROOT, cwd: "/" });
  const { code, stdout, stderr } = await runDeno([
    "run",
    ...permissions,
    fileURLToPath(LEFT_OPEN),
    path,
  ]);
  assert.deepEqual([code, stdout], [0, "kept\n"], stderr);
  const spool = await open(path);
  assert.equal(await spool.has(keyOf(1)), true);
  await spool.close();
});
