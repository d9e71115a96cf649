/** The inbox in PostgreSQL, shared by several servers. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { until } from "../../tests/harness/until.ts";
import type { GroupAlert } from "../models/error/error_row.ts";
import { PostgresDatabase } from "../storage/postgres.ts";
import { parsePostgresUrl } from "../storage/postgres_address.ts";
import { largeReads } from "../storage/testdata/rows_read.ts";
import type { Inbox } from "./inbox.ts";
import { InboxLog } from "./inbox_log.ts";
import { POSTGRES_INBOX_SCHEMA } from "./postgres_sql.ts";
import { admitted, envelopeOf, error, hexId } from "./testdata/envelopes.ts";
import { groupTests } from "./testdata/group_suite.ts";
import { all, ids, inboxTests } from "./testdata/inbox_suite.ts";
import { indexTests } from "./testdata/index_suite.ts";
import {
  agree,
  ignore,
  open,
  postgres,
  start,
  store,
  withServers,
} from "./testdata/postgres_servers.ts";
import { ENVELOPE_BYTES } from "./testdata/tested_index.ts";

/** A run opens an inbox and takes some twenty transactions, each synced to disk; SQLite has more runs. */
const MODEL_RUNS = 8;

const DAY_MS = 86_400_000;

const test = (name: string, work: Parameters<typeof withServers>[0]) =>
  Deno.test({ name, ignore, fn: withServers(work) });

const tests = [
  ...indexTests("PostgreSQL", async (maxEnvelopes) => {
    await start();
    return await open({ maxBytes: maxEnvelopes * ENVELOPE_BYTES });
  }),
  ...groupTests("PostgreSQL", async (options) => {
    await start();
    return await open(options);
  }, MODEL_RUNS),
  ...inboxTests("PostgreSQL", withServers),
];
for (const test of tests) Deno.test({ ...test, ignore });

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
  await two.changeGroup(group, "resolved");
  await until(
    "the decision is known",
    () => one.page("errors", { state: "resolved" }).rows.length === 1,
  );
  await two.store(admitted(envelopeOf({}, error("a")), Date.now() + 1_000));
  await agree([one, two]);
  assert.deepEqual(alerts.map((each) => each.map(({ kind }) => kind)), [["new"], ["regression"]]);

  const map = new TextEncoder().encode("{}");
  await one.storeSourceMap("a", map);
  await two.catchUp(Infinity);
  assert.deepEqual(new Uint8Array((await two.sourceMap("a"))!), map);
  assert.equal(await one.changeGroup(group, "deleted"), true);
  await until("the deletion is known", () => two.page("errors", {}).rows.length === 0);
  assert.equal(two.extent().envelopes, 2);

  await two.clear();
  const { cleared: cursor } = all(two);
  await until("it is empty", () => one.extent().envelopes === 0);
  await store(one, 1);
  await agree([one, two]);
  assert.ok(ids(two)[0]! > cursor);
  assert.equal(await one.sourceMap("a"), undefined);
});

test("reader with a cursor of another server → nothing is cleared or sent again", async (server) => {
  const [one, two] = [await server(), await server()];
  await store(one, 1);
  const { cursor } = all(one);
  await two.catchUp(cursor);
  assert.deepEqual(two.list({ since: cursor, limit: 9 }), { ...all(one), envelopes: [] });
});

test("several writers, any changes → same rows in the same order, also on a new server", async (server) => {
  const message = fc.constantFrom("a", "b");
  const action = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("store" as const), message }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("import" as const), message }) },
    fc.record({
      do: fc.constantFrom("resolved" as const, "muted" as const, "deleted" as const),
      message,
    }),
    fc.record({ do: fc.constant("clear" as const), message }),
  );
  let time = 10 * DAY_MS;
  const limits = { maxBytes: 4_000, maxAgeDays: 1, now: () => time };
  const writers = [await server(limits), await server(limits), await server(limits)];
  let n = 0;
  const act = async (inbox: Inbox, { do: what, message }: { do: string; message: string }) => {
    const envelope = envelopeOf({ event_id: hexId(n++) }, error(message));
    if (what === "store") return await inbox.store(admitted(envelope, limits.now()));
    if (what === "clear") return await inbox.clear();
    // Some become too old, among others that are not.
    if (what === "import") {
      return await inbox.storeImported(admitted(envelope, limits.now() - DAY_MS + n * 500));
    }
    const group = inbox.page("errors", {}).rows.find(({ value }) => value === message)?.group;
    if (group === undefined) return;
    await inbox.changeGroup(group, what as "resolved" | "muted" | "deleted");
  };
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

test("regression, its envelope evicted → a new server knows it", async (server) => {
  const inbox = await server({ maxBytes: 600 });
  await inbox.store(admitted(envelopeOf({}, error("a")), 1));
  const { group } = inbox.page("errors", {}).rows[0]!;
  await inbox.changeGroup(group, "resolved");
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

test("group deleted and muted at the same time → its errors are deleted everywhere", async (server) => {
  const [one, two] = [await server(), await server()];
  for (const message of ["a", "b", "c", "d", "e"]) {
    await one.store(admitted(envelopeOf({}, error(message))));
    const { group } = one.page("errors", {}).rows[0]!;
    await two.catchUp(Infinity);
    await Promise.all([one.changeGroup(group, "deleted"), two.changeGroup(group, "muted")]);
  }
  await agree([one, two, await server()]);
  assert.deepEqual(one.page("errors", {}).rows, []);
});

const GROUP = {
  group_key: "group",
  state: "muted" as const,
  changed_at: 1,
  resolved_in: null,
  regressed_in: null,
  deleted: 0,
  newest: 1,
};

/** Enough that PostgreSQL chooses other plans than for an empty log. */
const ENVELOPES = 20_000;

Deno.test({
  name: "full log stores, evicts, is read → no statement reads all rows",
  ignore,
  async fn() {
    await start();
    const database = await PostgresDatabase.open({
      store: "inbox",
      address: parsePostgresUrl(postgres.url())!,
      schema: POSTGRES_INBOX_SCHEMA,
    });
    const limits = { maxBytes: ENVELOPES * 100, maxAgeDays: 1, now: () => 86_400_100 };
    const log = new InboxLog(database, limits);
    try {
      const envelope = (n: number, writer: string | null = "a server") => ({
        kind: "envelope" as const,
        bytes: new Uint8Array(100),
        contentEncoding: null,
        receivedAt: 100 + n,
        isOwn: false,
        writer,
      });
      await Promise.all(Array.from({ length: ENVELOPES }, (_, n) => log.append(envelope(n))));
      for (const analyze of ["", "ANALYZE sightglass.inbox_log"]) {
        await postgres.admin(analyze, "spool");
        const reads = await largeReads(ENVELOPES / 4, async () => {
          const last = Number(await log.append(envelope(ENVELOPES)));
          assert.equal((await log.read(last - 1)).rows.length, 1);
          assert.equal((await log.read(0)).rows.length, 256);
          assert.equal(await log.append(envelope(ENVELOPES, null)), "present");
          await log.append({ kind: "map", key: "map", bytes: new Uint8Array(100) });
          await log.append({ kind: "group", key: "group", state: GROUP });
          await log.evict("change");
        });
        assert.deepEqual(reads, []);
      }
    } finally {
      await log.close();
    }
  },
});
