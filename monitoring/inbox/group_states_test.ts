import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";
import { until } from "../../tests/harness/until.ts";
import { errorEntry } from "../models/error/error_entry.ts";
import { indexBody } from "../models/index/index_entries.ts";
import { parseEnvelope } from "../models/parsed_envelope.ts";
import { envelopeChange } from "./change.ts";
import { DELETED_AT_ONCE } from "./group_states.ts";
import { InboxClosedError } from "./inbox_types.ts";
import { InboxFile } from "./inbox_file.ts";
import { INBOX_SCHEMA } from "./schema.ts";
import { Inbox } from "./inbox.ts";
import type { InboxOptions } from "./inbox_types.ts";
import { admitted, envelopeOf, error } from "./testdata/envelopes.ts";
import { groupTests, NOON, TestedInbox } from "./testdata/group_suite.ts";
import { markAsEarlier } from "./testdata/inbox_suite.ts";

groupTests("SQLite", (options) => new Inbox(options), 50).forEach((test) => Deno.test(test));

const start = (options?: Partial<InboxOptions>) =>
  TestedInbox.start((options) => new Inbox(options), options);

Deno.test("large group is deleted → others are answered meanwhile, a new error stays", async () => {
  await using tested = await start({ maxBytes: 10_000_000 });
  await storeLargeGroup(tested);
  const deleting = tested.delete("a");
  const [[, left] = []] = tested.rows() as [string, number][];
  assert.equal(left, LARGE - DELETED_AT_ONCE);
  await tested.error("a");
  assert.equal(await deleting, true);
  assert.deepEqual(tested.rows(), [["a", 1, "open"]]);
  assert.deepEqual(tested.alerts.map(({ kind }) => kind), ["new", "new"]);
});

Deno.test("server stops while a large group is deleted → the next start deletes the rest", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "inbox.sqlite");
  await using tested = await start({ path, maxBytes: 10_000_000 });
  await storeLargeGroup(tested);
  const deleting = tested.delete("a");
  await tested.error("b");
  await tested.inbox.close();
  await assert.rejects(deleting, InboxClosedError);
  await tested.reopen();
  await until("the rest is deleted", () => tested.rows().length === 1);
  assert.deepEqual(tested.rows(), [["b", 1, "open"]]);
});

/** Errors of a group whose deletion takes three steps. */
const LARGE = 2.5 * DELETED_AT_ONCE;
const IN_ENVELOPE = 250;

async function storeLargeGroup({ inbox, now }: TestedInbox): Promise<void> {
  const errors = Array.from({ length: IN_ENVELOPE }, () => error("a"));
  for (let n = 0; n < LARGE / IN_ENVELOPE; n++) {
    await inbox.store(admitted(envelopeOf({ sdk: { name: "sentry.python" } }, ...errors), now));
  }
}

Deno.test("indexed again → same states, deleted stays deleted, no alert", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "inbox.sqlite");
  await using tested = await start({ path });
  // The lowest ids are free, as after an eviction.
  await tested.error("cleared");
  await tested.inbox.clear();
  tested.alerts.length = 0;
  for (const message of ["muted", "deleted", "back", "resolved"]) await tested.error(message);
  // In the same millisecond.
  await tested.inbox.changeGroup(tested.group("resolved"), "resolved");
  await tested.set("muted", "muted");
  await tested.delete("deleted");
  await tested.set("back", "resolved");
  await tested.error("back", "2");
  await tested.error("deleted");
  const before = tested.rows();
  const alerts = tested.alerts.length;
  await tested.inbox.close();
  markAsEarlier(path);
  await tested.reopen();
  await tested.error("new");
  assert.deepEqual(tested.rows().slice(1), before);
  assert.deepEqual(tested.alerts.slice(alerts).map(({ message }) => message), ["new"]);
});

const [CART, ORDER] = ["POST /api/cart failed", "POST /api/order failed"];
/** Their key before the route was part of it. */
const { former: FORMER } = errorEntry({
  exception: { values: [{ type: "TypeError", value: CART }] },
}, 0);

Deno.test("index of an earlier version → groups that one became have its state", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "inbox.sqlite");
  await using tested = await start({ path });
  for (const message of [CART, ORDER, "POST failed"]) await tested.error(message);
  await tested.inbox.close();
  const db = new DatabaseSync(path);
  db.exec(
    `INSERT INTO group_states VALUES ('${FORMER}', 'resolved', ${NOON + 5_000}, 's1', NULL, 1, 3)`,
  );
  db.close();
  markAsEarlier(path);
  await tested.reopen();
  tested.now += 10_000;
  await tested.error(CART);
  assert.deepEqual(tested.rows().map((row) => (row as unknown[]).slice(0, 3)), [
    [CART, 1, "open"],
    ["POST failed", 1, "open"],
    [ORDER, 1, "resolved"],
  ]);
  assert.equal(tested.alerts.at(-1)?.kind, "regression");
});

Deno.test("state in the log of an earlier version → for what its group became", () => {
  using db = new DatabaseSync(":memory:");
  db.exec(INBOX_SCHEMA.create);
  const file = new InboxFile(db, 1_000_000, () => -Infinity);
  for (const message of [CART, ORDER, CART]) {
    const bytes = envelopeOf({}, error(message));
    const index = indexBody([parseEnvelope(bytes)], NOON);
    file.apply({ ...envelopeChange(admitted(bytes, NOON), ""), ...index });
  }
  const times = { changed_at: NOON, resolved_in: null, regressed_in: null };
  const state = { group_key: FORMER!, state: "muted", deleted: 2, newest: 3, ...times } as const;
  file.apply({ kind: "group", key: FORMER!, state });
  file.groups.deleteErrors(FORMER!);
  const rows = file.lists.page("errors", {}).rows.map(({ value, state }) => [value, state]);
  assert.deepEqual(rows, [[CART, "muted"]]);
});

Deno.test("more decisions than are kept → the oldest are forgotten", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "inbox.sqlite");
  await using tested = await start({ path });
  const db = new DatabaseSync(path);
  db.exec(
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)" +
      " INSERT INTO group_states SELECT printf('%014x', i), 'muted', i, NULL, NULL, 0, 0 FROM n",
  );
  await tested.error("a");
  await tested.set("a", "muted");
  const { count, oldest } = db.prepare(
    "SELECT count(*) AS count, min(changed_at) AS oldest FROM group_states",
  ).get() as { count: number; oldest: number };
  db.close();
  assert.deepEqual([count, oldest], [10_000, 2]);
});
