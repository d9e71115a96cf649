import assert from "node:assert/strict";
import type { Inbox } from "../inbox.ts";
import type { Lists, Page } from "../../models/rows.ts";
import type { ListQuery, ListSort } from "../../models/list_query.ts";
import { error, hexId, log, span, type TestItem } from "./envelopes.ts";
import { type AddTest, bodies, NOON, traces } from "./tested_index.ts";

/** The order of lists, and their pages. */
export function addOrderTests(test: AddTest): void {
  test("logs sent late and mixed → by their time, on every page", async (inbox, add) => {
    const at = (seconds: number) => ({ timestamp: NOON / 1_000 - seconds });
    const logs = (...seconds: number[]): TestItem => ["log", {
      items: seconds.map((n) => ({ body: `${n}`, ...at(n), trace_id: hexId(1) })),
    }];
    await add(logs(2, 30, 9));
    await add(logs(40, 1), logs(9));
    await add(logs(8, 20));
    const ordered = ["1", "2", "8", "9", "9", "20", "30", "40"];
    for (const limit of [1, 2, 3, 200]) {
      for (const query of [{ limit }, { limit, trace: hexId(1) }, { limit, application: "apps" }]) {
        const pages = everyPage((before) => inbox.page("logs", { ...query, before }));
        assert.deepEqual(pages.map(({ body }) => body), ordered, JSON.stringify(query));
      }
    }
    // Of equal times the one that arrived last is first.
    const equal = inbox.page("logs", { q: "9" }).rows;
    assert.ok(equal[0]!.envelope > equal[1]!.envelope);
    const { next } = inbox.page("logs", { limit: 3 });
    await add(logs(10, 0));
    const rest = inbox.page("logs", { before: next! }).rows.map(({ body }) => body);
    assert.deepEqual(rest, ordered.slice(3), "not on the pages after the first");
  });

  test(
    "logs of one time in several bodies → in the order of the SDK's counter",
    async (inbox, add) => {
      const logs = (...sequence: number[]): TestItem => ["log", {
        items: sequence.map((value) => ({
          ...{ body: `${value}`, timestamp: NOON / 1_000, trace_id: hexId(1) },
          attributes: { "sentry.timestamp.sequence": { value, type: "integer" } },
        })),
      }];
      await add(logs(2, 3));
      await add(logs(0, 1));
      await add(log("none", { timestamp: NOON / 1_000 }));
      const earlier = { timestamp: NOON / 1_000 - 0.0001 };
      await add(
        log("0.1 ms earlier", earlier),
        log("0.3 ms earlier", { timestamp: NOON / 1_000 - 0.0003 }),
      );
      for (const limit of [1, 2, 200]) {
        const rows = everyPage((before) => inbox.page("logs", { limit, before }));
        assert.deepEqual(rows.map(({ body }) => body), [
          ...["3", "2", "1", "none", "0", "0.1 ms earlier", "0.3 ms earlier"],
        ]);
        assert.deepEqual(rows[0]!.attributes, {});
      }
      assert.deepEqual(inbox.trace(hexId(1)).marks.map(({ text }) => text), ["0", "1", "2", "3"]);
    },
  );

  test(
    "errors of a group sent late and mixed → by their time, on every page",
    async (inbox, add) => {
      const failed = (seconds: number) =>
        error(`failed ${seconds}`, 1, { timestamp: NOON / 1_000 - seconds });
      await add(failed(30), failed(2));
      await add(failed(9));
      await add(failed(40), failed(9), failed(1));
      const { group } = inbox.page("errors", {}).rows[0]!;
      const ordered = [1, 2, 9, 9, 30, 40].map((seconds) => `failed ${seconds}`);
      for (const limit of [1, 2, 200]) {
        for (const query of [{ limit }, { limit, group }, { limit, trace: hexId(1) }]) {
          const pages = everyPage((before) => inbox.page("occurrences", { ...query, before }));
          assert.deepEqual(pages.map(({ value }) => value), ordered, JSON.stringify(query));
        }
      }
    },
  );

  test("times that differ by microseconds → order and durations of them", async (inbox, add) => {
    const python = ["2026-11-21T03:54:15.250459Z", "2026-11-21T03:54:15.252329Z"] as const;
    const node = [1_795_233_255.2504593, 1_795_233_255.2509012] as const;
    for (const [n, [start_timestamp, end_timestamp]] of [python, node].entries()) {
      await add(span(n + 1, { start_timestamp, end_timestamp }));
      await add(log(`${n}`, { timestamp: end_timestamp }));
    }
    await add(log("1 earlier", { timestamp: node[1] - 0.0000021 }));
    const { rows } = inbox.page("traces", {});
    const durations = rows.map(({ started_at, ended_at }) => ended_at! - started_at);
    assert.deepEqual(durations.map((ms) => ms.toFixed(3)), ["0.442", "1.870"]);
    for (const limit of [1, 200]) {
      const read = (sort: ListSort) =>
        everyPage((before) => inbox.page("traces", { sort, limit, before }));
      assert.deepEqual(read("duration").map(({ trace_id }) => trace_id), [2, 1].map(hexId));
      assert.equal(read("-started_at").length, 2);
      const logs = everyPage((before) => inbox.page("logs", { limit, before }));
      assert.deepEqual(logs.map(({ body }) => body), ["0", "1", "1 earlier"]);
    }
  });

  test("sort by a column, either way → by its value, paged", async (inbox, add) => {
    const at = (n: number) => ({
      start_timestamp: NOON / 1_000 - 10 * n,
      end_timestamp: NOON / 1_000 - n,
    });
    await add(
      span(1, at(3)),
      span(1, at(3)),
      error("failed a", 1, { timestamp: NOON / 1_000 - 9 }),
    );
    await add(span(2, at(9)), error("failed b", 2, { timestamp: NOON / 1_000 - 5 }));
    await add(
      error("failed b", 2, { timestamp: NOON / 1_000 - 30 }),
      log("x", { trace_id: hexId(3) }),
    );
    const expected: Partial<Record<ListSort, number[]>> = {
      started_at: [2, 1, 3],
      "-started_at": [3, 1, 2],
      duration: [1, 2],
      slowest: [2, 1],
      "-spans": [1, 2, 3],
      "-errors": [2, 1, 3],
      "-logs": [3, 2, 1],
      // Of another list: newest first.
      count: [3, 2, 1],
    };
    for (const [sort, order] of Object.entries(expected) as [ListSort, number[]][]) {
      const pages = everyPage((before) => inbox.page("traces", { sort, limit: 1, before }));
      assert.deepEqual(pages.map((row) => row.trace_id), order.map(hexId), sort);
    }
    const groups = (query: ListQuery) => inbox.page("errors", query).rows.map((row) => row.value);
    assert.deepEqual(groups({ sort: "first_seen" }), ["failed b", "failed a"]);
    assert.deepEqual(groups({ sort: "-last_seen" }), ["failed b", "failed a"]);
    assert.deepEqual(groups({ sort: "count" }), ["failed a", "failed b"]);
    assert.deepEqual(groups({ sort: "frequent" }), ["failed b", "failed a"]);
    assert.deepEqual(groups({ sort: "-count", q: "failed a" }), ["failed a"]);
  });

  test("paging → every row once", async (inbox, add) => {
    for (let n = 0; n < 23; n++) {
      await add(span(n % 9), log(`log ${n}`), error(`failed ${"abcdefg"[n % 7]}`));
    }
    assert.deepEqual(paged(inbox, "traces").map((row) => row.trace_id), traces(inbox));
    assert.deepEqual(paged(inbox, "logs").map((row) => row.body), bodies(inbox));
    assert.equal(paged(inbox, "errors").length, 7);
    assert.equal(paged(inbox, "occurrences").length, 23);
    const all = everyPage((before) => inbox.page("envelopes", { limit: 4, before })).map((row) =>
      row.id
    );
    assert.deepEqual(all, inbox.page("envelopes", {}).rows.map((row) => row.id));
  });

  test("rows added while paging → no row missing or twice", async (inbox, add) => {
    for (let n = 0; n < 9; n++) await add(span(n), error(`failed ${"abcdefghi"[n]}`));
    const expected = traces(inbox);
    const seen: string[] = [];
    const groups: string[] = [];
    let page: { traces?: string; errors?: string } = {};
    for (let n = 0; n < 5; n++) {
      const listed = inbox.page("traces", { limit: 2, before: page.traces });
      seen.push(...listed.rows.map((row) => row.trace_id));
      const errors = inbox.page("errors", { limit: 2, before: page.errors });
      groups.push(...errors.rows.map((row) => row.value));
      page = { traces: listed.next ?? undefined, errors: errors.next ?? undefined };
      // A row of the first page and one of the second get new entries, and a new row is added.
      for (const m of [8 - n, n, 100 + n]) {
        await add(span(m), error(`failed ${"abcdefghi"[m] ?? "z"}`));
      }
    }
    assert.deepEqual(page, { traces: undefined, errors: undefined });
    assert.deepEqual(seen, expected);
    assert.deepEqual(groups.map((value) => value.at(-1)).join(""), "ihgfedcba");
  });

  test("invalid `before` → refused", async (inbox, add) => {
    await add(span(1));
    for (const before of ["", "x", "1", "-1.2", "5.1", "1e3.5", "9".repeat(17) + ".1"]) {
      assert.throws(() => inbox.page("traces", { before }), /before must be/);
      assert.throws(() => inbox.page("envelopes", { before }), /before must be/);
    }
  });
}

/** All rows of a list, two per page. */
const paged = <Name extends keyof Lists>(inbox: Inbox, name: Name) =>
  everyPage((before) => inbox.page(name, { limit: 2, before }));

function everyPage<Row>(ask: (before: string | undefined) => Page<Row>): Row[] {
  const rows: Row[] = [];
  let page = ask(undefined);
  rows.push(...page.rows);
  while (page.next !== null) {
    page = ask(page.next);
    assert.ok(page.rows.length > 0, "a page with nothing in it");
    rows.push(...page.rows);
  }
  return rows;
}
