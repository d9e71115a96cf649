/** The inbox in PostgreSQL: faults of the database, of the connection and of the replica. */
import assert from "node:assert/strict";
import { truncateSync, writeFileSync } from "node:fs";
import { until } from "../../tests/harness/until.ts";
import { DatabaseOpenError } from "../storage/errors.ts";
import { PostgresDatabase } from "../storage/postgres.ts";
import { parsePostgresUrl } from "../storage/postgres_address.ts";
import { startPooler } from "../storage/testdata/transaction_pooler.ts";
import { InboxClosedError, InboxUnavailableError } from "./inbox_types.ts";
import { POSTGRES_INBOX_SCHEMA } from "./postgres_sql.ts";
import { admitted, envelopeOf, error, eventEnvelope, hexId } from "./testdata/envelopes.ts";
import { all, ids } from "./testdata/inbox_suite.ts";
import { agree, ignore, postgres, start, store, withServers } from "./testdata/postgres_servers.ts";

const test = (name: string, work: Parameters<typeof withServers>[0]) =>
  Deno.test({ name, ignore, fn: withServers(work) });

test("PostgreSQL is down → read on, storing fails; up again → both, nothing lost", async (server) => {
  const notices: string[] = [];
  const inbox = await server({ onNotice: (notice) => notices.push(notice) });
  const changes: string[] = [];
  inbox.subscribe((change) => changes.push(change));
  await store(inbox, 1);
  await postgres.stop("immediate");
  await assert.rejects(store(inbox, 2), InboxUnavailableError);
  assert.equal(inbox.canStore(), false);
  await assert.rejects(async () => await inbox.clear(), InboxUnavailableError);
  assert.deepEqual(ids(inbox), [1]);
  await inbox.catchUp(99);
  await postgres.start();
  await until("it stores again", () => inbox.canStore());
  await store(inbox, 3);
  assert.deepEqual(all(inbox).envelopes.map((row) => row.event_id), [hexId(1), hexId(3)]);
  assert.match(
    notices.join("\n"),
    /^The inbox cannot store envelopes: PostgreSQL failed, .*\.\nThe inbox stores/,
  );
  assert.equal(notices.length, 2);
  assert.deepEqual(changes.filter((change) => change === "storage"), ["storage", "storage"]);
  await agree([inbox, await server()]);
});

test(
  "PostgreSQL crashes under load → every acknowledged envelope is on all servers",
  async (server, path) => {
    const servers = [
      await server({ path, onNotice: () => {} }),
      await server({ onNotice: () => {} }),
    ];
    const acknowledged: string[] = [];
    let [n, failed, isOver] = [0, 0, false];
    const writers = Array.from({ length: 8 }, async (_, at) => {
      while (!isOver) {
        const mine = n++;
        try {
          await store(servers[at % 2]!, mine);
          acknowledged.push(hexId(mine));
        } catch (error) {
          assert.ok(error instanceof InboxUnavailableError, String(error));
          failed++;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }
    });
    for (let crash = 0; crash < 2; crash++) {
      const target = acknowledged.length + 50;
      await until("envelopes were acknowledged", () => acknowledged.length >= target);
      await postgres.stop("immediate");
      await postgres.start();
    }
    const target = acknowledged.length + 20;
    await until("envelopes were acknowledged", () => acknowledged.length >= target);
    isOver = true;
    await Promise.all(writers);
    assert.ok(failed > 0);
    await agree([...servers, await server()]);
    const { envelopes } = servers[0]!.list({ since: 0, limit: 10_000 });
    const stored = new Set(envelopes.map((row) => row.event_id));
    assert.deepEqual(acknowledged.filter((id) => !stored.has(id)), []);
  },
);

test("server no longer accepts writes → reported once, until it does", async (server) => {
  const notices: string[] = [];
  const inbox = await server({ onNotice: (notice) => notices.push(notice) });
  const readOnly = (value: string) =>
    postgres.admin(`ALTER SYSTEM SET default_transaction_read_only = ${value}`)
      .then(() => postgres.admin("SELECT pg_reload_conf()"));
  await readOnly("on");
  try {
    // On a busy machine connections read the new configuration one after the other.
    await until("storing fails, and is not reported as working", async () => {
      const fails = await store(inbox, 1)
        .then(() => false, (error) => error instanceof InboxUnavailableError);
      // Longer than a round of polling, which succeeds.
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      return fails && !inbox.canStore();
    });
    const repeated = notices.filter((notice, index) => notice === notices[index - 1]);
    assert.deepEqual(repeated, []);
    assert.ok(notices.length > 0);
  } finally {
    await readOnly("off");
  }
  await until("it stores again", () => inbox.canStore());
});

for (const level of ["serializable", "repeatable read"]) {
  test(`database whose default is ${level} → two servers store all envelopes`, async (server) => {
    const isDefault = "ALTER DATABASE spool SET default_transaction_isolation =";
    await postgres.admin(`${isDefault} '${level}'`);
    try {
      const servers = [await server(), await server()];
      await Promise.all(
        Array.from({ length: 60 }, async (_, n) => {
          await new Promise((resolve) => setTimeout(resolve, n * 5));
          await store(servers[n % 2]!, n);
        }),
      );
      await agree(servers);
      assert.equal(ids(servers[0]!).length, 60);
    } finally {
      await postgres.admin(`${isDefault} DEFAULT`);
    }
  });
}

test("conflicts with other transactions → tried again, a few times", async () => {
  const [address, schema] = [parsePostgresUrl(postgres.url())!, POSTGRES_INBOX_SCHEMA];
  const database = await PostgresDatabase.open({ store: "inbox", address, schema });
  const triesOf = async (code: string, failures: number) => {
    let tries = 0;
    await database.transaction("change", (query) => {
      const fails = tries++ < failures;
      return query(fails ? `DO $$BEGIN RAISE SQLSTATE '${code}'; END$$` : "SELECT 1");
    }).catch((error) => assert.equal(error.code, code));
    return tries;
  };
  assert.deepEqual([await triesOf("40001", 2), await triesOf("40P01", 2)], [3, 3]);
  assert.deepEqual([await triesOf("40001", 9), await triesOf("23505", 9)], [5, 1]);
  await database.close();
});

test("connection lost during COMMIT → rejected; works through a pooler", async (server) => {
  await using pooler = startPooler(postgres.port);
  // Its user makes the tables.
  await postgres.admin("DROP SCHEMA sightglass CASCADE", "spool");
  const address = parsePostgresUrl(postgres.plainUrl(pooler.port))!;
  const [inbox, other] = [
    await server({ address, onNotice: () => {} }),
    await server({ address, onNotice: () => {} }),
  ];
  await store(inbox, 1);
  await until("the other server has it", () => ids(other).length === 1);
  for (const [n, when] of [[2, "before"], [3, "after"]] as const) {
    pooler.cutCommit(when);
    await assert.rejects(store(inbox, n), InboxUnavailableError);
    await until("it stores again", () => inbox.canStore());
  }
  await store(inbox, 4);
  assert.deepEqual(all(inbox).envelopes.map((row) => row.event_id), [1, 3, 4].map(hexId));
});

test("replica on disk → a restart reads only what is new", async (server, path) => {
  const first = await server({ path });
  for (const n of [1, 2]) await store(first, n);
  const before = ids(first);
  await first.close();
  await store(await server(), 3);
  // Only the replica has the first ones now.
  await postgres.admin(
    "UPDATE sightglass.inbox_log SET data = json_build_object('receivedAt', data->'receivedAt')" +
      " WHERE id <= 2",
    "spool",
  );
  const second = await server({ path });
  assert.deepEqual(ids(second), [...before, 3]);
});

test(
  "replica corrupt, of another log, ahead of the log or of a later one → read anew",
  async (server, path) => {
    const first = await server({ path });
    for (const n of [1, 2]) await store(first, n);
    await first.close();

    const notices: string[] = [];
    writeFileSync(path, "this is no database ".repeat(500));
    const second = await server({ path, onNotice: (notice) => notices.push(notice) });
    assert.deepEqual(ids(second), [1, 2]);
    assert.match(notices.join(), /was corrupt/);
    await second.close();

    const restore = () =>
      postgres.admin(
        "DELETE FROM sightglass.inbox_log WHERE id > 1; UPDATE sightglass.inbox_state SET last = 1",
        "spool",
      );
    await restore();
    const third = await server({ path });
    assert.deepEqual(ids(third), [1]);
    for (const n of [2, 3]) await store(third, n);
    await third.close();

    await restore();
    const other = await server();
    for (const n of [4, 5, 6]) await other.store(admitted(eventEnvelope(n), 7));
    const fourth = await server({ path });
    await agree([other, fourth]);
    const changes: string[] = [];
    fourth.subscribe((change) => changes.push(change));
    // While it runs.
    await start(50);
    await until("the other log is followed", () => changes.includes("cleared"));
    await store(fourth, 7);
    assert.deepEqual(ids(fourth), [50]);
  },
);

test("newest rows of the replica lost while it runs → read anew", async (server, path) => {
  const first = await server({ path });
  await store(first, 1);
  await first.close();
  const notices: string[] = [];
  const inbox = await server({ path, onNotice: (notice) => notices.push(notice) });
  await store(inbox, 2);
  truncateSync(`${path}-wal`);
  await store(inbox, 3);
  await agree([inbox, await server()]);
  assert.match(notices.join(), /The files of the inbox .* were changed by another process/);
});

test("stored before the log was read for the first time → its alert is reported", async (server) => {
  const lock = "BEGIN; LOCK TABLE sightglass.inbox_log IN ACCESS EXCLUSIVE MODE";
  const blocked = assert.rejects(postgres.admin(`${lock}; SELECT pg_sleep(600)`, "spool"));
  const ofHolder = "FROM pg_locks WHERE relation = 'sightglass.inbox_log'::regclass" +
    " AND mode = 'AccessExclusiveLock' AND granted";
  const isLocked = async () => (await postgres.admin(`SELECT 1 ${ofHolder}`, "spool")).length > 0;
  await until("the log is locked", isLocked);
  const [notices, alerts]: string[][] = [[], []];
  const inbox = await server({
    onNotice: (notice) => void notices!.push(notice),
    onGroupAlert: ({ message }) => void alerts!.push(message),
  });
  assert.deepEqual(notices, [
    "The inbox is being read from PostgreSQL: its lists are not complete yet.",
  ]);
  const stored = inbox.store(admitted(envelopeOf({}, error("a"))));
  await postgres.admin(`SELECT pg_cancel_backend(pid) ${ofHolder}`, "spool");
  await blocked;
  await stored;
  await until("its alert is reported", () => alerts!.length > 0);
  assert.deepEqual(alerts, ["a"]);
});

test("delete all during a pg_dump → fails with the reason, storing continues", async (server) => {
  const inbox = await server();
  await store(inbox, 1);
  const lock = "BEGIN; LOCK TABLE sightglass.inbox_log IN ACCESS SHARE MODE";
  const dump = assert.rejects(postgres.admin(`${lock}; SELECT pg_sleep(600)`, "spool"));
  const holder = "FROM pg_stat_activity WHERE query LIKE 'BEGIN; LOCK TABLE%'";
  const isLocked = async () => (await postgres.admin(`SELECT 1 ${holder}`)).length > 0;
  await until("the log is locked", isLocked);
  await assert.rejects(async () => await inbox.clear(), /another program, such as pg_dump/);
  assert.equal(inbox.canStore(), true);
  await store(inbox, 2);
  await postgres.admin(`SELECT pg_cancel_backend(pid) ${holder}`);
  await dump;
  await inbox.clear();
  assert.deepEqual(ids(inbox), []);
});

test("closed → every call fails; database cannot be used → one line", async (server) => {
  const inbox = await server();
  await inbox.close();
  await assert.rejects(store(inbox, 1), InboxClosedError);
  assert.throws(() => all(inbox), InboxClosedError);
  const address = parsePostgresUrl(postgres.url({ password: "wr0ng" }))!;
  await assert.rejects(server({ address }), (error) => {
    assert.ok(error instanceof DatabaseOpenError);
    assert.match(error.message, /^Cannot open the inbox: [^\n]+\.$/);
    assert.ok(!error.message.includes("wr0ng"));
    return true;
  });
});
