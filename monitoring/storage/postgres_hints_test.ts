import assert from "node:assert/strict";
import { until } from "../../tests/until.ts";
import { PostgresDatabase } from "./postgres.ts";
import { parsePostgresUrl } from "./postgres_address.ts";
import {
  listeners,
  type PrivatePostgres,
  startPostgresBeforeAll,
} from "./testdata/private_postgres.ts";
import { startPooler } from "./testdata/transaction_pooler.ts";

let postgres: PrivatePostgres;
/** Without server binaries the tests are listed as ignored. */
const ignore = startPostgresBeforeAll((started) => postgres = started);

const test = (name: string, fn: () => Promise<void>) => Deno.test({ name, ignore, fn });

/** A process that counts the hints that it gets. */
class Process {
  hints = 0;
  private constructor(readonly database: PostgresDatabase) {}

  static async start(url = postgres.url()): Promise<Process> {
    const address = parsePostgresUrl(url)!;
    const process = new Process(
      await PostgresDatabase.open({ store: "spool", address, schema: [] }),
    );
    process.database.receiveHints(() => Promise.resolve(void process.hints++));
    return process;
  }
}

const current = () => listeners(postgres, "spool");

const listening = (count: number) =>
  until(`${count} processes listen`, async () => (await current()).length === count);

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("thousands of changes → the other process gets some hints, the writer none", async () => {
  const [writer, reader] = [await Process.start(), await Process.start()];
  await listening(2);
  assert.deepEqual((await current()).map(({ ssl }) => ssl), [true, true]);
  const startedAt = performance.now();
  for (let n = 0; n < 3_000; n++) {
    writer.database.sendHint();
    if (n % 100 === 0) await wait(10);
  }
  await until("the reader has a hint", () => reader.hints > 0);
  await wait(250);
  const gaps = (performance.now() - startedAt) / 100;
  assert.ok(reader.hints <= gaps + 1, `${reader.hints} hints in ${gaps} gaps`);
  const before = reader.hints;
  writer.database.sendHint();
  await until("the reader has another", () => reader.hints > before);
  assert.equal(writer.hints, 0);
  await Promise.all([writer, reader].map(({ database }) => database.close()));
  await listening(0);
});

test("connection terminated, server restarted → listens again", async () => {
  const [writer, reader] = [await Process.start(), await Process.start()];
  await listening(2);
  const interruptions = [
    async () => {
      for (const { pid } of await current()) {
        await postgres.admin(`SELECT pg_terminate_backend(${pid})`);
      }
    },
    () => postgres.stop("immediate").then(() => postgres.start()),
  ];
  for (const interrupt of interruptions) {
    const before = new Set((await current()).map(({ pid }) => pid));
    await interrupt();
    await until("both have new connections", async () => {
      const now = await current();
      return now.length === 2 && now.every(({ pid }) => !before.has(pid));
    });
    const { hints } = reader;
    writer.database.sendHint();
    await until("the reader has a hint", () => reader.hints > hints);
  }
  await Promise.all([writer, reader].map(({ database }) => database.close()));
});

test("pooler in transaction mode → its connection is closed before LISTEN", async () => {
  await using pooler = startPooler(postgres.port);
  await postgres.admin("DROP SCHEMA IF EXISTS sightglass CASCADE", "spool");
  const { database } = await Process.start(postgres.plainUrl(pooler.port));
  const { opened } = pooler;
  await until("it has asked for the connection's id", () => pooler.opened > opened);
  await wait(1_200);
  database.sendHint();
  await wait(200);
  assert.equal(pooler.opened, opened + 1);
  assert.deepEqual(await database.read("SELECT 1 AS n"), [{ n: 1 }]);
  await database.close();
});

test("server down → closing does not wait for it", async () => {
  const { database } = await Process.start();
  await listening(1);
  await postgres.stop("immediate");
  await wait(100);
  const startedAt = performance.now();
  await database.close();
  assert.ok(performance.now() - startedAt < 1_000);
  await postgres.start();
});
