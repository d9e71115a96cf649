import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { until } from "../../tests/until.ts";
import type { GroupAlert } from "../models/rows.ts";
import { DatabaseOpenError } from "../storage/errors.ts";
import { parsePostgresUrl } from "../storage/postgres_address.ts";
import {
  type PrivatePostgres,
  startPostgresBeforeAll,
} from "../storage/testdata/private_postgres.ts";
import { largeReads } from "../storage/testdata/rows_read.ts";
import { startPooler } from "../storage/testdata/transaction_pooler.ts";
import { type Inbox, InboxClosedError, InboxUnavailableError } from "./inbox.ts";
import { InboxLog } from "./inbox_log.ts";
import { openPostgresInbox, type PostgresInboxOptions } from "./postgres_inbox.ts";
import { admitted, envelopeOf, error, eventEnvelope, hexId } from "./testdata/envelopes.ts";
import { groupTests } from "./testdata/group_suite.ts";
import { all, ids, inboxTests } from "./testdata/inbox_suite.ts";
import { indexTests } from "./testdata/index_suite.ts";
import { ENVELOPE_BYTES } from "./testdata/tested_index.ts";

/** A run opens an inbox and takes some twenty transactions, each synced to disk; SQLite has more runs. */
const MODEL_RUNS = 8;

const DAY_MS = 86_400_000;

let postgres: PrivatePostgres;
/** Without server binaries the tests are listed as ignored. */
const ignore = startPostgresBeforeAll(async (started) => {
  postgres = started;
  await (await open()).close();
});

const open = (options: Partial<PostgresInboxOptions> = {}) =>
  openPostgresInbox({
    address: parsePostgresUrl(postgres.url())!,
    maxBytes: 1_000_000,
    onNotice: (notice) => {
      throw new Error(`unexpected notice: ${notice}`);
    },
    ...options,
  });

/** Replaces the log by an empty one, whose ids begin with `first`. */
async function start(first = 1): Promise<void> {
  await postgres.admin(
    "TRUNCATE sightglass.inbox_log; UPDATE sightglass.inbox_state" +
      ` SET log = gen_random_uuid()::text, last = ${first - 1}, floor = ${first}, bytes = 0`,
    "spool",
  );
}

const tests = [
  ...indexTests("PostgreSQL", async (maxEnvelopes) => {
    await start();
    const inbox = await open({ maxBytes: maxEnvelopes * ENVELOPE_BYTES });
    return {
      add: (bytes, receivedAt) => inbox.store(admitted(bytes, receivedAt)),
      list: (name, query) => inbox.page(name, query),
      envelopes: (query) => inbox.envelopes(query),
      sources: (query) => inbox.sources(query),
      clear: async () => void await inbox.clear(),
      remove: () => inbox.close(),
    };
  }),
  ...groupTests("PostgreSQL", async (options) => {
    await start();
    return await open(options);
  }, MODEL_RUNS),
  ...inboxTests("PostgreSQL", withServers),
];
for (const test of tests) Deno.test({ ...test, ignore });

/** Opens an inbox, as each of several servers does. */
type OpenServer = (options?: Partial<PostgresInboxOptions>) => Promise<Inbox>;

/** Runs a test with an empty database and a path for a replica. */
function withServers(work: (server: OpenServer, path: string) => Promise<void>) {
  return async () => {
    await start();
    const folder = await Deno.makeTempDir({ prefix: "inbox-" });
    const opened: Inbox[] = [];
    try {
      await work(async (options) => {
        const inbox = await open(options);
        opened.push(inbox);
        return inbox;
      }, join(folder, "inbox_replica.sqlite"));
    } finally {
      for (const inbox of opened) await inbox.close();
      await Deno.remove(folder, { recursive: true });
    }
  };
}

const test = (name: string, work: Parameters<typeof withServers>[0]) =>
  Deno.test({ name, ignore, fn: withServers(work) });

/** What a server shows, apart from counters. */
function content(inbox: Inbox): unknown {
  const { cursor, cleared, envelopes } = all(inbox);
  const groups = inbox.page("errors", {});
  const bodies = ids(inbox).map((id) => inbox.bytes(id));
  return { cursor, cleared, envelopes, groups, bodies, logs: inbox.page("logs", {}) };
}

/** Waits until all servers show the same: a regression is logged after its envelope was stored. */
const agree = (inboxes: readonly Inbox[]) =>
  until("the servers agree", async () => {
    await Promise.all(inboxes.map((inbox) => inbox.catchUp?.(Infinity)));
    const [first, ...others] = inboxes.map(content);
    return others.every((other) => isDeepStrictEqual(other, first));
  });

const store = (inbox: Inbox, n: number) => inbox.store(admitted(eventEnvelope(n)));

test("two servers → envelopes, groups, maps, deletion of one are seen by the other", async (server) => {
  const alerts: GroupAlert[][] = [[], []];
  const [one, two] = await Promise.all(
    [0, 1].map((n) => server({ onGroupAlert: (alert) => alerts[n]!.push(alert) })),
  ) as [Inbox, Inbox];
  const changes: string[] = [];
  two.subscribe((change) => void changes.push(change));
  await one.store(admitted(envelopeOf({}, error("a"))));
  await until("the other server has it", () => ids(two).length === 1);
  assert.deepEqual(ids(two), ids(one));
  assert.ok(changes.includes("stored"));

  const { group } = two.page("errors", {}).rows[0]!;
  await two.setGroupState(group, "resolved");
  await until(
    "the decision is known",
    () => one.page("errors", { state: "resolved" }).rows.length === 1,
  );
  await two.store(admitted(envelopeOf({}, error("a")), Date.now() + 1_000));
  await agree([one, two]);
  assert.deepEqual(alerts.map((each) => each.map(({ kind }) => kind)), [["new"], ["regression"]]);

  const map = new TextEncoder().encode("{}");
  await one.storeSourceMap("a", map);
  await two.catchUp?.(Infinity);
  assert.deepEqual(new Uint8Array((await two.sourceMap("a"))!), map);
  assert.equal(await one.deleteGroup(group), true);
  await until("the deletion is known", () => two.page("errors", {}).rows.length === 0);
  assert.equal(two.extent().envelopes, 2);

  const cursor = await two.clear();
  await until("it is empty", () => one.extent().envelopes === 0);
  await store(one, 1);
  await agree([one, two]);
  assert.ok(ids(two)[0]! > cursor);
  assert.equal(await one.sourceMap("a"), undefined);
});

test("polling is rare → a change is seen by the other server at once", async (server) => {
  const [one, two] = [await server({ pollMs: 3_600_000 }), await server({ pollMs: 3_600_000 })];
  await until("both listen", async () => {
    const rows = await postgres.admin(
      "SELECT 1 FROM pg_stat_activity WHERE query = 'LISTEN sightglass_inbox' AND state = 'idle'",
    );
    return rows.length === 2;
  });
  const cleared: string[] = [];
  two.subscribe((change) => void cleared.push(change));
  await store(one, 1);
  await until("its row is seen", () => ids(two).length === 1);
  await one.clear();
  await until("the deletion is seen", () => cleared.includes("cleared"));
});

test("reader with a cursor of another server → nothing is cleared or sent again", async (server) => {
  const [one, two] = [await server(), await server()];
  await store(one, 1);
  const { cursor } = all(one);
  await two.catchUp?.(cursor);
  assert.deepEqual(two.list({ since: cursor, limit: 9 }), { ...all(one), envelopes: [] });
});

test("several writers, any changes → same rows in the same order, also on a new server", async (server) => {
  const message = fc.constantFrom("a", "b");
  const action = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("store" as const), message }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("import" as const), message }) },
    fc.record({
      do: fc.constantFrom("resolved" as const, "muted" as const, "delete" as const),
      message,
    }),
    fc.record({ do: fc.constant("clear" as const), message }),
  );
  const limits = { maxBytes: 4_000, maxAgeDays: 1, now: () => 10 * DAY_MS };
  const writers = [await server(limits), await server(limits), await server(limits)];
  let n = 0;
  const act = async (inbox: Inbox, { do: what, message }: { do: string; message: string }) => {
    const envelope = envelopeOf({ event_id: hexId(n++) }, error(message));
    if (what === "store") return await inbox.store(admitted(envelope, limits.now()));
    if (what === "clear") return await inbox.clear();
    // Some become too old, among others that are not.
    if (what === "import") {
      return await inbox.storeOnce(admitted(envelope, limits.now() - DAY_MS + n * 500));
    }
    const group = inbox.page("errors", {}).rows.find(({ value }) => value === message)?.group;
    if (group === undefined) return;
    if (what === "delete") return await inbox.deleteGroup(group);
    await inbox.setGroupState(group, what as "resolved" | "muted");
  };
  let time = 10 * DAY_MS;
  limits.now = () => time;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(action, { maxLength: 8 }), { minLength: 3, maxLength: 3 }),
      async (plans) => {
        await Promise.all(plans.map(async (plan, at) => {
          for (const each of plan) {
            time += 1_000;
            await act(writers[at]!, each);
          }
        }));
        const late = await server(limits);
        await agree([...writers, late]);
        await late.close();
      },
    ),
    { numRuns: 12 },
  );
});

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
  await inbox.catchUp?.(99);
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
    await until(
      "storing fails",
      () => store(inbox, 1).then(() => false, (error) => error instanceof InboxUnavailableError),
    );
    // Longer than a round of polling, which succeeds.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    assert.equal(inbox.canStore(), false);
    assert.equal(notices.length, 1, notices.join());
  } finally {
    await readOnly("off");
  }
  await until("it stores again", () => inbox.canStore());
});

test("connection lost during COMMIT → rejected; works through a pooler", async (server) => {
  await using pooler = startPooler(postgres.port);
  const url = postgres.url({
    port: pooler.port,
    user: "plain",
    password: "",
    parameters: "sslmode=disable",
  });
  // Its user makes the tables.
  await postgres.admin("DROP SCHEMA sightglass CASCADE", "spool");
  const address = parsePostgresUrl(url)!;
  const [inbox, other] = [
    await server({ address, onNotice: () => {} }),
    await server({ address, onNotice: () => {} }),
  ];
  await store(inbox, 1);
  await until("the other server has it, without LISTEN", () => ids(other).length === 1);
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

test("replica corrupt, of another log or ahead of the log → read anew", async (server, path) => {
  const first = await server({ path });
  for (const n of [1, 2]) await store(first, n);
  await first.close();

  const notices: string[] = [];
  writeFileSync(path, "this is no database ".repeat(500));
  const second = await server({ path, onNotice: (notice) => notices.push(notice) });
  assert.deepEqual(ids(second), [1, 2]);
  assert.match(notices.join(), /was corrupt/);
  await second.close();

  await postgres.admin(
    "DELETE FROM sightglass.inbox_log WHERE id = 2; UPDATE sightglass.inbox_state SET last = 1",
    "spool",
  );
  const third = await server({ path });
  assert.deepEqual(ids(third), [1]);
  await store(third, 3);
  await agree([third, await server()]);
  const changes: string[] = [];
  third.subscribe((change) => changes.push(change));
  // While it runs.
  await start(50);
  await until("the other log is followed", () => changes.includes("cleared"));
  await store(third, 4);
  assert.deepEqual(ids(third), [50]);
});

test("two servers with one replica file → each row once, each alert once", async (server, path) => {
  const alerts: string[] = [];
  const onGroupAlert = ({ message }: GroupAlert) => void alerts.push(message);
  const pair = [await server({ path, onGroupAlert }), await server({ path, onGroupAlert })];
  const messages = Array.from({ length: 20 }, (_, n) => `failed ${String.fromCharCode(97 + n)}`);
  await Promise.all(
    messages.map((message, n) => pair[n % 2]!.store(admitted(envelopeOf({}, error(message))))),
  );
  await agree([...pair, await server()]);
  assert.deepEqual(alerts.sort(), messages);
});

test("stored before the log was read for the first time → its alert is reported", async (server) => {
  const blocked = postgres.admin(
    "BEGIN; LOCK TABLE sightglass.inbox_log IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(3); COMMIT",
    "spool",
  );
  const [notices, alerts]: string[][] = [[], []];
  const inbox = await server({
    onNotice: (notice) => void notices!.push(notice),
    onGroupAlert: ({ message }) => void alerts!.push(message),
  });
  assert.deepEqual(notices, [
    "The inbox is being read from PostgreSQL: its lists are not complete yet.",
  ]);
  await inbox.store(admitted(envelopeOf({}, error("a"))));
  await blocked;
  await until("its alert is reported", () => alerts!.length > 0);
  assert.deepEqual(alerts, ["a"]);
});

test("regression, its envelope evicted → a new server knows it", async (server) => {
  const inbox = await server({ maxBytes: 600 });
  await inbox.store(admitted(envelopeOf({}, error("a")), 1));
  const { group } = inbox.page("errors", {}).rows[0]!;
  await inbox.setGroupState(group, "resolved");
  await inbox.store(admitted(envelopeOf({}, error("a")), Date.now() + 1_000));
  await until("the log has it", async () => {
    const [row] = await postgres.admin(
      "SELECT data FROM sightglass.inbox_log WHERE kind = 'group'",
      "spool",
    );
    return JSON.stringify(row).includes("regressed");
  });
  for (let n = 0; n < 5; n++) await store(inbox, n);
  assert.equal(inbox.page("errors", {}).rows.some((row) => row.group === group), false);
  const late = await server({ maxBytes: 600 });
  await late.store(admitted(envelopeOf({}, error("a")), 2));
  const [row] = late.page("errors", {}).rows.filter((row) => row.group === group);
  assert.deepEqual([row?.state, row?.regression !== null], ["open", true]);
  await agree([inbox, late]);
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

test("group deleted and muted at the same time → its errors are deleted everywhere", async (server) => {
  const [one, two] = [await server(), await server()];
  for (const message of ["a", "b", "c", "d", "e"]) {
    await one.store(admitted(envelopeOf({}, error(message))));
    const { group } = one.page("errors", {}).rows[0]!;
    await two.catchUp?.(Infinity);
    await Promise.all([one.deleteGroup(group), two.setGroupState(group, "muted")]);
  }
  await agree([one, two, await server()]);
  assert.deepEqual(one.page("errors", {}).rows, []);
});

test("log restored from a copy, grown past the replica → read anew", async (server, path) => {
  const first = await server({ path });
  await store(first, 1);
  for (const n of [2, 3]) await store(first, n);
  await first.close();
  await postgres.admin(
    "DELETE FROM sightglass.inbox_log WHERE id > 1; UPDATE sightglass.inbox_state SET last = 1",
    "spool",
  );
  const other = await server();
  for (const n of [4, 5, 6]) await other.store(admitted(eventEnvelope(n), 7));
  await agree([other, await server({ path })]);
});

/** Enough that PostgreSQL chooses other plans than for an empty log. */
const ENVELOPES = 20_000;

Deno.test({
  name: "full log stores, evicts, is read → no statement reads all rows",
  ignore,
  async fn() {
    await start();
    const log = await InboxLog.open({
      address: parsePostgresUrl(postgres.url())!,
      maxBytes: ENVELOPES * 100,
      oldestTime: () => 100,
    });
    try {
      const envelope = (n: number, bytes = 100) => ({
        bytes: new Uint8Array(bytes),
        contentEncoding: null,
        receivedAt: 100 + n,
        isOwn: false,
        writer: null,
      });
      await Promise.all(Array.from({ length: ENVELOPES }, (_, n) => log.append(envelope(n))));
      for (const analyze of ["", "ANALYZE sightglass.inbox_log"]) {
        await postgres.admin(analyze, "spool");
        const reads = await largeReads(ENVELOPES / 4, async () => {
          const last = await log.append(envelope(ENVELOPES));
          assert.equal((await log.read(last - 1)).rows.length, 1);
          assert.equal((await log.read(0)).rows.length, 256);
          assert.equal(await log.appendOnce(envelope(ENVELOPES)), "present");
          await log.appendMap("map", new Uint8Array(100));
          await log.appendGroup("group", () => undefined);
          await log.evict();
        });
        assert.deepEqual(reads, []);
      }
    } finally {
      await log.close();
    }
  },
});
