import assert from "node:assert/strict";
import fc from "fast-check";
import { GROUP_STATES, type GroupAlert, type GroupState } from "../../models/error/error_row.ts";
import type { Inbox } from "../inbox.ts";
import type { InboxOptions } from "../inbox_types.ts";
import { admitted, envelopeOf, error, log } from "./envelopes.ts";

export const NOON = 1_795_262_400_000;

/** Opens an empty inbox. */
export type OpenInbox = (options: InboxOptions) => Inbox | Promise<Inbox>;

/** An inbox whose clock advances by a second with each action, and what it reported. */
export class TestedInbox implements AsyncDisposable {
  readonly alerts: GroupAlert[] = [];
  readonly #open: () => Inbox | Promise<Inbox>;
  inbox!: Inbox;
  now = NOON;

  private constructor(open: OpenInbox, options: Partial<InboxOptions>) {
    this.#open = () =>
      open({
        maxBytes: 1_000_000,
        now: () => this.now,
        onGroupAlert: (alert) => this.alerts.push(alert),
        ...options,
      });
  }

  static async start(open: OpenInbox, options: Partial<InboxOptions> = {}): Promise<TestedInbox> {
    const tested = new TestedInbox(open, options);
    tested.inbox = await tested.#open();
    return tested;
  }

  /** Stores an error of an application's release. */
  async error(message: string, release = "1.4.1", environment = "test"): Promise<void> {
    this.now += 1_000;
    await this.inbox.store(admitted(errorOf(message, release, environment), this.now));
  }

  async set(message: string, state: GroupState): Promise<boolean> {
    this.now += 1_000;
    return await this.inbox.changeGroup(this.group(message), state);
  }

  delete(message: string): Promise<boolean> {
    this.now += 1_000;
    return this.inbox.changeGroup(this.group(message), "deleted");
  }

  /** The rows of a state: message, count, and what the regression says. */
  rows(state?: GroupState): unknown[] {
    return this.inbox.page("errors", { state }).rows.map((
      { value, count, state, regression },
    ) => [value, count, state, ...regression ? [regression] : []]);
  }

  async reopen(): Promise<void> {
    await this.inbox.close();
    this.inbox = await this.#open();
  }

  group(message: string): string {
    return this.inbox.page("errors", {}).rows.find(({ value }) => value === message)?.group ??
      "0".repeat(14);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.inbox.close();
  }
}

const errorOf = (message: string, release: string, environment = "test") =>
  envelopeOf(
    { sdk: { name: "sentry.python" } },
    error(message, undefined, { environment, release: `shop@${release}` }),
  );

/**
 * What an inbox does with groups of errors, as tests for each implementation. Pass each to `Deno.test`.
 *
 * @param numRuns of the property
 */
export function groupTests(
  name: string,
  open: OpenInbox,
  numRuns: number,
): readonly Deno.TestDefinition[] {
  const tests: Deno.TestDefinition[] = [];
  const test = (behaviour: string, fn: () => Promise<void>) =>
    void tests.push({ name: `${name}: ${behaviour}`, fn });
  const start = (options?: Partial<InboxOptions>) => TestedInbox.start(open, options);

  test("resolved → hidden; error arrives → open, regression with both releases; muted → counts on", async () => {
    await using tested = await start();
    await tested.error("a");
    await tested.error("b");
    assert.equal(await tested.set("a", "resolved"), true);
    assert.deepEqual(tested.rows("open"), [["b", 1, "open"]]);
    assert.deepEqual(tested.rows("resolved"), [["a", 1, "resolved"]]);
    const counted = (state: GroupState | undefined) =>
      tested.inbox.histogram({ of: "errors", state, since: NOON, until: tested.now + 1 })
        .parts.reduce((sum, { count }) => sum + count, 0);
    // The overview's chart and count, and those of the view.
    assert.deepEqual([counted("open"), counted(undefined)], [1, 2]);
    assert.equal(tested.inbox.applications({}).counts.errors, 1);

    await tested.error("a", "1.4.2");
    const regression = { release: "shop@1.4.2", resolved_in: "shop@1.4.1", at: tested.now };
    assert.deepEqual(tested.rows("open"), [["a", 2, "open", regression], ["b", 1, "open"]]);
    assert.deepEqual(tested.rows("resolved"), []);
    await tested.error("a", "1.4.3");
    assert.deepEqual(tested.rows("open")[0], ["a", 3, "open", regression]);
    // Resolved once more, now with the newer release.
    await tested.set("a", "resolved");
    await tested.error("a", "1.4.4");
    assert.deepEqual(tested.rows("open")[0], ["a", 4, "open", {
      release: "shop@1.4.4",
      resolved_in: "shop@1.4.3",
      at: tested.now,
    }]);
    await tested.set("a", "muted");
    await tested.error("a");
    assert.deepEqual(tested.rows("muted"), [["a", 5, "muted"]]);
    await tested.set("a", "open");
    assert.deepEqual(tested.rows("open")[0], ["a", 5, "open"]);
  });

  test("group of two applications comes back in one → a regression of this one alone", async () => {
    await using tested = await start();
    const store = async (service: string) => {
      tested.now += 1_000;
      const header = { sdk: { name: "sentry.python" } };
      const sent = { environment: "test", release: `${service}@1` };
      await tested.inbox.store(
        admitted(envelopeOf(header, error("a", undefined, sent)), tested.now),
      );
    };
    await store("shop");
    await store("billing");
    await tested.set("a", "resolved");
    await store("shop");
    const applications = tested.inbox.applications({}).rows;
    assert.deepEqual(applications.map(({ name }) => name), ["shop", "billing"]);
    const at = tested.now;
    for (const later of [[], ["billing"]]) {
      for (const service of later) await store(service);
      const returns = [undefined, ...applications.map(({ key }) => key)].map((application) => {
        const [row] = tested.inbox.page("errors", { application, state: "open" }).rows;
        return row?.regression?.at;
      });
      assert.deepEqual(returns, [at, at, undefined]);
    }
  });

  test("group of two applications, unhandled in one → it alone is named", async () => {
    await using tested = await start();
    for (const [service, handled] of [["shop", true], ["billing", false], ["billing", true]]) {
      const values = [{ type: "TypeError", value: "a", mechanism: { handled } }];
      const sent = error("a", undefined, { release: `${service}@1`, exception: { values } });
      const header = { sdk: { name: "sentry.python" } };
      await tested.inbox.store(admitted(envelopeOf(header, sent), tested.now));
    }
    const [group] = tested.inbox.page("errors", {}).rows;
    assert.equal(group?.applications.length, 2);
    const names = new Map(tested.inbox.applications({}).rows.map(({ key, name }) => [key, name]));
    assert.deepEqual(group.unhandled_in.map((key) => names.get(key)), ["billing"]);
  });

  test("two applications, one has the error again → its own releases, not the newest of all", async () => {
    await using tested = await start();
    await tested.error("a", "2.0.0-rc", "staging");
    await tested.error("a", "1.0.0", "live");
    const back = async (release: string, environment: string) => {
      await tested.set("a", "resolved");
      await tested.error("a", release, environment);
      const { regression } = tested.inbox.page("errors", {}).rows[0]!;
      return [regression?.release, regression?.resolved_in];
    };
    assert.deepEqual(await back("2.0.0", "staging"), ["shop@2.0.0", "shop@2.0.0-rc"]);
    assert.deepEqual(await back("1.0.1", "live"), ["shop@1.0.1", "shop@1.0.0"]);
    assert.deepEqual(await back("1.0.2", "test"), ["shop@1.0.2", null]);
  });

  test("unknown group → no change; a group whose errors were evicted keeps its state", async () => {
    await using tested = await start({ maxBytes: 1_000 });
    assert.equal(await tested.set("a", "resolved"), false);
    assert.equal(await tested.delete("a"), false);
    await tested.error("a");
    const group = tested.group("a");
    await tested.set("a", "resolved");
    for (let n = 0; n < 6; n++) {
      await tested.inbox.store(admitted(envelopeOf({}, log("x".repeat(200))), tested.now));
    }
    assert.deepEqual(tested.rows(), []);
    assert.equal(await tested.inbox.changeGroup(group, "muted"), true);
    assert.equal(await tested.inbox.changeGroup(group, "resolved"), true);
    await tested.error("a", "1.4.2");
    assert.deepEqual(tested.rows("open"), [["a", 1, "open", {
      release: "shop@1.4.2",
      resolved_in: null,
      at: tested.now,
    }]]);
  });

  test("deleted → not in lists, envelopes stay; the next error makes a new group", async () => {
    await using tested = await start();
    await tested.error("a");
    await tested.error("b");
    await tested.error("a");
    await tested.set("a", "muted");
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
    await tested.inbox.clear();
    await tested.error("a");
    assert.deepEqual(tested.rows(), [["a", 1, "open"]]);
  });

  test("resolved, another error in the same millisecond → regression; the earlier → none", async () => {
    await using tested = await start();
    const store = (message: string) => tested.inbox.store(admitted(errorOf(message, "1"), NOON));
    await store("a");
    await store("b");
    for (const message of ["a", "b"]) {
      await tested.inbox.changeGroup(tested.group(message), "resolved");
    }
    await store("a");
    assert.deepEqual(tested.rows("resolved"), [["b", 1, "resolved"]]);
    assert.deepEqual(tested.alerts.map(({ kind }) => kind), ["new", "new", "regression"]);
  });

  test("imported error, older than the resolution → stays resolved; no alert", async () => {
    await using tested = await start();
    await tested.error("a");
    const time = tested.now;
    await tested.set("a", "resolved");
    await tested.inbox.storeImported(admitted(errorOf("a", "1"), time - 1));
    await tested.inbox.storeImported(admitted(errorOf("b", "1"), tested.now + 1));
    assert.deepEqual(tested.rows("resolved"), [["a", 2, "resolved"]]);
    assert.deepEqual(tested.alerts.map(({ kind }) => kind), ["new"]);
  });

  test("new and regressed groups → one alert each, with release, environment and application", async () => {
    await using tested = await start();
    await tested.error("a");
    await tested.error("a");
    await tested.set("a", "resolved");
    await tested.error("a", "1.4.2");
    await tested.error("a", "1.4.2");
    const alert = {
      group: tested.group("a"),
      type: "TypeError",
      message: "a",
      environment: "test",
      application: "shop",
    };
    assert.deepEqual(tested.alerts, [
      { ...alert, kind: "new", release: "shop@1.4.1" },
      { ...alert, kind: "regression", release: "shop@1.4.2" },
    ]);
  });

  test("group comes back with another value → the alert has its title, what its errors share", async () => {
    await using tested = await start();
    await tested.error("Order 17 failed: 500");
    await tested.set("Order 17 failed: 500", "resolved");
    await tested.error("Order 18 failed: 500");
    assert.deepEqual(tested.alerts.map(({ message }) => message), [
      "Order 17 failed: 500",
      "Order … failed: 500",
    ]);
  });

  test("any order of errors and decisions → states and alerts of a simple model", async () => {
    const message = fc.constantFrom("a", "b");
    const action = fc.oneof(
      fc.record({ do: fc.constant("error" as const), message }),
      fc.record({ do: fc.constantFrom(...GROUP_STATES), message }),
      fc.record({ do: fc.constant("delete" as const), message }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 20 }), async (actions) => {
        await using tested = await start();
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
            assert.equal(await tested.set(message, what), group !== undefined);
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
      { numRuns },
    );
  });

  return tests;
}
