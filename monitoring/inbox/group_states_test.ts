import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { until } from "../../tests/until.ts";
import { GROUP_STATES, type GroupAlert, type GroupState } from "../models/rows.ts";
import { DELETED_AT_ONCE } from "./group_states.ts";
import { type Inbox, InboxClosedError } from "./inbox.ts";
import { type InboxOptions, openInbox } from "./sqlite_inbox.ts";
import { admitted, envelopeOf, error, log } from "./testdata/envelopes.ts";

const NOON = 1_795_262_400_000;

/** An inbox whose clock advances by a second with each action, and what it reported. */
class TestedInbox implements Disposable {
  readonly alerts: GroupAlert[] = [];
  readonly #options: InboxOptions;
  inbox: Inbox;
  now = NOON;

  constructor(options: Partial<InboxOptions> = {}) {
    this.#options = {
      maxBytes: 1_000_000,
      now: () => this.now,
      onGroupAlert: (alert) => this.alerts.push(alert),
      ...options,
    };
    this.inbox = openInbox(this.#options);
  }

  /** Stores an error of an application's release. */
  async error(message: string, release = "1.4.1"): Promise<void> {
    this.now += 1_000;
    await this.inbox.store(admitted(errorOf(message, release), this.now));
  }

  set(message: string, state: GroupState): boolean {
    this.now += 1_000;
    return this.inbox.setGroupState(this.group(message), state);
  }

  delete(message: string): Promise<boolean> {
    this.now += 1_000;
    return this.inbox.deleteGroup(this.group(message));
  }

  /** The rows of a state: message, count, and what the regression says. */
  rows(state?: GroupState): unknown[] {
    return this.inbox.page("errors", { state }).rows.map((
      { value, count, state, regression },
    ) => [value, count, state, ...regression ? [regression] : []]);
  }

  reopen(): void {
    this.inbox.close();
    this.inbox = openInbox(this.#options);
  }

  group(message: string): string {
    return this.inbox.page("errors", {}).rows.find(({ value }) => value === message)?.group ??
      "0".repeat(14);
  }

  [Symbol.dispose](): void {
    this.inbox.close();
  }
}

const errorOf = (message: string, release: string) =>
  envelopeOf({
    sdk: { name: "sentry.python" },
    trace: { environment: "test", release: `shop@${release}` },
  }, error(message));

Deno.test("resolved → hidden; error arrives → open, regression with both releases", async () => {
  using tested = new TestedInbox();
  await tested.error("a");
  await tested.error("b");
  assert.equal(tested.set("a", "resolved"), true);
  assert.deepEqual(tested.rows("open"), [["b", 1, "open"]]);
  assert.deepEqual(tested.rows("resolved"), [["a", 1, "resolved"]]);
  assert.equal(tested.inbox.sources({}).counts.errors, 1);

  await tested.error("a", "1.4.2");
  const regression = { release: "shop@1.4.2", resolved_in: "shop@1.4.1" };
  assert.deepEqual(tested.rows("open"), [["a", 2, "open", regression], ["b", 1, "open"]]);
  assert.deepEqual(tested.rows("resolved"), []);
  await tested.error("a", "1.4.3");
  assert.deepEqual(tested.rows("open")[0], ["a", 3, "open", regression]);
  // Resolved once more, now with the newer release.
  tested.set("a", "resolved");
  await tested.error("a", "1.4.4");
  assert.deepEqual(tested.rows("open")[0], ["a", 4, "open", {
    release: "shop@1.4.4",
    resolved_in: "shop@1.4.3",
  }]);
  tested.set("a", "open");
  assert.deepEqual(tested.rows("open")[0], ["a", 4, "open"]);
});

Deno.test("muted → counts on, no regression; all states → in the list without a filter", async () => {
  using tested = new TestedInbox();
  await tested.error("a");
  tested.set("a", "muted");
  await tested.error("a");
  await tested.error("b");
  assert.deepEqual(tested.rows("muted"), [["a", 2, "muted"]]);
  assert.deepEqual(tested.rows("open"), [["b", 1, "open"]]);
  assert.deepEqual(tested.rows(), [["b", 1, "open"], ["a", 2, "muted"]]);
  assert.deepEqual(tested.alerts.map(({ kind, message }) => [kind, message]), [
    ["new", "a"],
    ["new", "b"],
  ]);
});

Deno.test("unknown group → no change; a group whose errors were evicted keeps its state", async () => {
  using tested = new TestedInbox({ maxBytes: 1_000 });
  assert.equal(tested.set("a", "resolved"), false);
  assert.equal(await tested.delete("a"), false);
  await tested.error("a");
  const group = tested.group("a");
  tested.set("a", "resolved");
  for (let n = 0; n < 6; n++) {
    await tested.inbox.store(admitted(envelopeOf({}, log("x".repeat(200))), tested.now));
  }
  assert.deepEqual(tested.rows(), []);
  assert.equal(tested.inbox.setGroupState(group, "muted"), true);
  assert.equal(tested.inbox.setGroupState(group, "resolved"), true);
  await tested.error("a", "1.4.2");
  assert.deepEqual(tested.rows("open"), [["a", 1, "open", {
    release: "shop@1.4.2",
    resolved_in: null,
  }]]);
});

Deno.test("deleted → not in lists, envelopes stay; the next error makes a new group", async () => {
  using tested = new TestedInbox();
  await tested.error("a");
  await tested.error("b");
  await tested.error("a");
  tested.set("a", "muted");
  assert.equal(await tested.delete("a"), true);
  assert.deepEqual(tested.rows(), [["b", 1, "open"]]);
  assert.equal(tested.inbox.page("occurrences", {}).rows.length, 1);
  assert.equal(tested.inbox.extent().envelopes, 3);
  assert.equal(await tested.delete("a"), false);
  await tested.error("a");
  assert.deepEqual(tested.rows(), [["a", 1, "open"], ["b", 1, "open"]]);
  assert.deepEqual(tested.alerts.map(({ kind, message }) => [kind, message]), [
    ["new", "a"],
    ["new", "b"],
    ["new", "a"],
  ]);
  tested.inbox.clear();
  await tested.error("a");
  assert.deepEqual(tested.rows(), [["a", 1, "open"]]);
});

Deno.test("resolved, another error in the same millisecond → regression; the earlier → none", async () => {
  using tested = new TestedInbox();
  const store = (message: string) => tested.inbox.store(admitted(errorOf(message, "1"), NOON));
  await store("a");
  await store("b");
  for (const message of ["a", "b"]) {
    tested.inbox.setGroupState(tested.group(message), "resolved");
  }
  await store("a");
  assert.deepEqual(tested.rows("resolved"), [["b", 1, "resolved"]]);
  assert.deepEqual(tested.alerts.map(({ kind }) => kind), ["new", "new", "regression"]);
});

Deno.test("large group is deleted → others are answered meanwhile, a new error stays", async () => {
  using tested = new TestedInbox({ maxBytes: 10_000_000 });
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
  const folder = Deno.makeTempDirSync({ prefix: "inbox-" });
  const path = join(folder, "inbox.sqlite");
  using tested = new TestedInbox({ path, maxBytes: 10_000_000 });
  try {
    await storeLargeGroup(tested);
    const deleting = tested.delete("a");
    await tested.error("b");
    tested.inbox.close();
    await assert.rejects(deleting, InboxClosedError);
    tested.reopen();
    await until("the rest is deleted", () => tested.rows().length === 1);
    assert.deepEqual(tested.rows(), [["b", 1, "open"]]);
  } finally {
    tested.inbox.close();
    Deno.removeSync(folder, { recursive: true });
  }
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

Deno.test("restart and new index → same states, deleted stays deleted, no alert", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "inbox-" });
  const path = join(folder, "inbox.sqlite");
  using tested = new TestedInbox({ path });
  try {
    // The lowest ids are free, as after an eviction.
    await tested.error("cleared");
    tested.inbox.clear();
    tested.alerts.length = 0;
    for (const message of ["muted", "deleted", "back", "resolved"]) await tested.error(message);
    // In the same millisecond.
    tested.inbox.setGroupState(tested.group("resolved"), "resolved");
    tested.set("muted", "muted");
    await tested.delete("deleted");
    tested.set("back", "resolved");
    await tested.error("back", "2");
    await tested.error("deleted");
    const before = tested.rows();
    const alerts = tested.alerts.length;
    tested.inbox.close();
    // As a schema step with other entries does.
    const db = new DatabaseSync(path);
    db.exec(
      "DELETE FROM envelope_texts; DELETE FROM trace_entries; DELETE FROM error_entries;" +
        " UPDATE totals SET weight = 0, backlog = (SELECT max(id) FROM envelopes)",
    );
    db.close();
    tested.reopen();
    // What arrives before all is indexed is not known to be new.
    await tested.error("resolved and not indexed yet");
    await until("all is indexed", () => tested.inbox.page("errors", {}).rows.length === 5);
    assert.deepEqual(tested.rows().slice(1), before);
    assert.equal(tested.alerts.length, alerts);
    let name = "new";
    await until("new groups are reported again", async () => {
      await tested.error(name += "y");
      return tested.alerts.length > alerts;
    });
  } finally {
    tested.inbox.close();
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("imported error, older than the resolution → stays resolved; no alert", async () => {
  using tested = new TestedInbox();
  await tested.error("a");
  const time = tested.now;
  tested.set("a", "resolved");
  await tested.inbox.storeOnce(admitted(errorOf("a", "1"), time - 1));
  await tested.inbox.storeOnce(admitted(errorOf("b", "1"), tested.now + 1));
  assert.deepEqual(tested.rows("resolved"), [["a", 2, "resolved"]]);
  assert.deepEqual(tested.alerts.map(({ kind }) => kind), ["new"]);
});

Deno.test("new and regressed groups → one alert each, with release, environment and source", async () => {
  using tested = new TestedInbox();
  await tested.error("a");
  await tested.error("a");
  tested.set("a", "resolved");
  await tested.error("a", "1.4.2");
  await tested.error("a", "1.4.2");
  const alert = {
    group: tested.group("a"),
    type: "TypeError",
    message: "a",
    environment: "test",
    source: "shop",
  };
  assert.deepEqual(tested.alerts, [
    { ...alert, kind: "new", release: "shop@1.4.1" },
    { ...alert, kind: "regression", release: "shop@1.4.2" },
  ]);
});

Deno.test("more decisions than are kept → the oldest are forgotten", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "inbox-" });
  const path = join(folder, "inbox.sqlite");
  using tested = new TestedInbox({ path });
  try {
    const db = new DatabaseSync(path);
    db.exec(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)" +
        " INSERT INTO group_states SELECT printf('%014x', i), 'muted', i, NULL, NULL, 0, 0 FROM n",
    );
    await tested.error("a");
    tested.set("a", "muted");
    const { count, oldest } = db.prepare(
      "SELECT count(*) AS count, min(changed_at) AS oldest FROM group_states",
    ).get() as { count: number; oldest: number };
    db.close();
    assert.deepEqual([count, oldest], [10_000, 2]);
  } finally {
    tested.inbox.close();
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("any order of errors and decisions → states and alerts of a simple model", async () => {
  const message = fc.constantFrom("a", "b");
  const action = fc.oneof(
    fc.record({ do: fc.constant("error" as const), message }),
    fc.record({ do: fc.constantFrom(...GROUP_STATES), message }),
    fc.record({ do: fc.constant("delete" as const), message }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 20 }), async (actions) => {
      using tested = new TestedInbox();
      const model = new Map<string, { state: string; count: number }>();
      const alerts: string[] = [];
      for (const { do: what, message } of actions) {
        const group = model.get(message);
        if (what === "error") {
          await tested.error(message);
          if (!group) alerts.push(`new ${message}`);
          if (group?.state === "resolved") alerts.push(`regression ${message}`);
          const state = group?.state.replace("resolved", "open regressed") ?? "open";
          model.set(message, { state, count: (group?.count ?? 0) + 1 });
        } else if (what === "delete") {
          assert.equal(await tested.delete(message), model.delete(message));
        } else {
          assert.equal(tested.set(message, what), group !== undefined);
          if (group) group.state = what;
        }
      }
      const rows = tested.inbox.page("errors", {}).rows.map((row) =>
        [row.value, row.count, row.state + (row.regression ? " regressed" : "")].join()
      );
      const expected = [...model].map(([name, { count, state }]) => [name, count, state].join());
      assert.deepEqual(rows.sort(), expected.sort());
      assert.deepEqual(tested.alerts.map((alert) => `${alert.kind} ${alert.message}`), alerts);
    }),
    { numRuns: 50 },
  );
});
