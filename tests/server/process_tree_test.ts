/** Signals to the processes of `deno task start`, while an envelope is in the spool. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSqliteSpool } from "../../monitoring/relay/spool/sqlite_spool.ts";
import { readTexts } from "../crash/_spooled_texts.ts";
import { watchProcess } from "../harness/watched_process.ts";
import { DSN, fresh } from "../relay/_start_relay.ts";
import { answers, startStandInIngest } from "../harness/stand_in_ingest.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Processes that receive a signal, in the order of `pids()`. */
const PROCESSES = ["deno task", "the launcher"] as const;

for (const [index, name] of PROCESSES.entries()) {
  for (const signal of ["SIGTERM", "SIGINT", "SIGKILL"] as const) {
    Deno.test({
      name: `${signal} to ${name} → the server stops cleanly, its spool is intact`,
      ignore: Deno.build.os !== "linux",
      fn: () => stopsCleanly(signal, index),
    });
  }
}

async function stopsCleanly(signal: Deno.Signal, index: number): Promise<void> {
  using folder = temporaryFolder();
  await using ingest = startStandInIngest();
  ingest.behave(answers(503));
  const body = fresh();
  {
    await using task = watchProcess(["task", "start"], {
      cwd: ROOT,
      env: {
        PORT: "0",
        HOST: "127.0.0.1",
        SENTRY_DSN: DSN,
        DATA_DIR: folder.path,
        RELAY_UPSTREAM: ingest.origin,
      },
    });
    const origin = await task.printed(/^Listening on (\S+)\/$/m);
    const response = await fetch(`${origin}/monitoring`, { method: "POST", body });
    assert.equal(response.status, 202, await response.text());
    assert.equal(task.pids().length, 3, "deno task, the launcher, the server");
    await task.endsAfter(signal, index);
    assert.match(task.text(), /The server is stopping/);
    const { port } = new URL(origin);
    await assert.rejects(
      Deno.connect({ hostname: "127.0.0.1", port: Number(port) }),
      Deno.errors.ConnectionRefused,
    );
  }
  // SQLite deletes its write-ahead log when the last connection is closed, which a killed server does not do.
  const files = [...Deno.readDirSync(folder.path)].map(({ name }) => name);
  assert.ok(!files.includes("spool.sqlite-wal"), files.join());
  const sent = new TextDecoder().decode(body);
  const path = join(folder.path, "spool.sqlite");
  const spooled = await readTexts(
    await openSqliteSpool({ path, maxBytes: 1e9, maxAgeHours: 24 }),
    DSN,
  );
  assert.equal(spooled.filter((text) => text === sent).length, 1);
}
