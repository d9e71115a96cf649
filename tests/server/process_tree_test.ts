/** Signals to the processes behind `deno task start`, while an envelope waits in the spool. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MAX_WAIT_MS } from "../../monitoring/spool/spool.ts";
import { openSqliteSpool } from "../../monitoring/spool/sqlite_spool.ts";
import { watchProcess } from "../../tools/watched_process.ts";
import { DSN, fresh } from "../relay/_start_relay.ts";
import { answers, startStandInIngest } from "../stand_in_ingest.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** The server's own limit is 4 s. A launcher may need a second to notice that its parent ended. */
const MOST_MS = 8_000;

for (const [place, name] of ["deno task", "the launcher"].entries()) {
  for (const signal of ["SIGTERM", "SIGINT", "SIGKILL"] as const) {
    Deno.test({
      name: `${signal} to ${name} → the server ends in good order, its spool is intact`,
      ignore: Deno.build.os !== "linux",
      fn: () => endsInGoodOrder(signal, place),
    });
  }
}

async function endsInGoodOrder(signal: Deno.Signal, place: number): Promise<void> {
  const dataDir = await Deno.makeTempDir({ prefix: "tree-" });
  try {
    await using ingest = startStandInIngest();
    ingest.behave(answers(503));
    const body = fresh();
    {
      const env = { PORT: "0", HOST: "127.0.0.1", SENTRY_DSN: DSN, DATA_DIR: dataDir };
      await using start = watchProcess(["task", "start"], {
        cwd: ROOT,
        env: { ...env, RELAY_UPSTREAM: ingest.origin },
      });
      const origin = await start.printed(/^Listening on (\S+)\/$/m);
      const response = await fetch(`${origin}/monitoring`, { method: "POST", body });
      assert.equal(response.status, 202, await response.text());
      assert.equal(start.pids().length, 3, "deno task, the launcher, the server");
      await start.endsAfter(signal, place, MOST_MS);
      assert.match(start.text(), /The server is stopping/);
      const { port } = new URL(origin);
      await assert.rejects(
        Deno.connect({ hostname: "127.0.0.1", port: Number(port) }),
        Deno.errors.ConnectionRefused,
      );
    }
    // SQLite deletes its log when the last connection is closed; a killed server leaves it.
    const files = [...Deno.readDirSync(dataDir)].map(({ name }) => name);
    assert.ok(!files.includes("spool.sqlite-wal"), files.join());
    const sent = new TextDecoder().decode(body);
    assert.equal((await spooled(dataDir)).filter((text) => text === sent).length, 1);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

/** The envelopes in the spool of a server that has ended. */
async function spooled(dataDir: string): Promise<string[]> {
  const path = join(dataDir, "spool.sqlite");
  const spool = await openSqliteSpool({ path, maxBytes: 1e9, maxAgeHours: 24 });
  try {
    // The attempts before may have put them off.
    const now = Date.now() + MAX_WAIT_MS;
    const leased = await spool.lease({
      now,
      limit: 100,
      maxBytes: 1e9,
      dsns: [{ dsn: DSN, limited: 0 }],
    });
    return leased.map(({ bytes }) => new TextDecoder().decode(bytes));
  } finally {
    await spool.close();
  }
}
