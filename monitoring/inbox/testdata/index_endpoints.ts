import assert from "node:assert/strict";
import type { ListQuery } from "../../models/list_query.ts";
import { HOUR_MS } from "../../models/time_units.ts";
import type { Inbox } from "../inbox.ts";
import { error, hexId, type TestItem } from "./envelopes.ts";
import { type AddTest, NOON, shop } from "./tested_index.ts";

/** A span: id, id of its parent, operation, name, milliseconds from noon to its start, and to its end. */
type Sent = readonly [
  id: string,
  parent: string | null,
  op: string,
  name: string,
  from: number,
  to: number,
];

const SERVER = "http.server";

/** Spans of one trace; those of `http.server` are the first of a process. */
const spansOf = (trace: number, ...spans: readonly Sent[]): TestItem => ["span", {
  items: spans.map(([span_id, parent, op, name, from, to]) => ({
    ...{ trace_id: hexId(trace), span_id, name, is_segment: op === SERVER },
    ...parent !== null && { parent_span_id: parent },
    start_timestamp: (NOON + from) / 1_000,
    end_timestamp: (NOON + to) / 1_000,
    attributes: { "sentry.op": { value: op } },
  })),
}];

const queries = (inbox: Inbox, query: ListQuery = {}) =>
  inbox.page("queries", query).rows.map(({ statement, count, total_ms, repeated }) =>
    [statement, count, total_ms, repeated.count, repeated.trace_id] as const
  );

/** Endpoints, their queries, and queries. */
export function addEndpointTests(test: AddTest): void {
  test(
    "spans of databases → queries by statement, repeated in one request",
    async (inbox, _, addOf) => {
      // In the second envelope is what is between the queries of the first one and their request.
      await addOf(
        shop("1"),
        spansOf(
          1,
          ["a1", "a", "db.sql.query", "SELECT 1 FROM a WHERE id = 10", 0, 1],
          ["a2", "a", "db", "SELECT 1 FROM a WHERE id = 20", 1, 4],
          ["b1", "b", "db", "SELECT 1 FROM a WHERE id = 30", 5, 7],
          ["c1", null, "cache.get", "cart:7", 0, 9],
          ["p1", "a", "db", "pg-pool.connect", 0, 900],
          ["x", "a", "dbx", "SELECT no database", 0, 9],
          ["y", "a", "http.client", "SELECT no database", 0, 9],
        ),
      );
      const withSlow: Sent = ["s", "f", "db", "SELECT slow", 20, 90];
      await addOf(
        shop("1"),
        spansOf(
          1,
          ["r", null, SERVER, "GET /a", 0, 10],
          ["f", "r", "function", "load", 0, 8],
          ["a", "f", "function", "load", 0, 8],
          // A request that the first one sent to the same application.
          ["b", "f", SERVER, "GET /b", 4, 8],
          withSlow,
        ),
      );
      const bySum = [
        ["SELECT slow", 1, 70, 1, hexId(1)],
        ["cart:7", 1, 9, 1, hexId(1)],
        ["SELECT # FROM a WHERE id = #", 3, 6, 2, hexId(1)],
      ] as const;
      assert.deepEqual(queries(inbox), bySum);
      assert.deepEqual(queries(inbox, { sort: "-repeated" })[0], bySum[2]);
      assert.deepEqual(queries(inbox, { sort: "duration" })[0], bySum[2]);
      assert.deepEqual(queries(inbox, { q: "slow" }), [bySum[0]]);
      assert.deepEqual(queries(inbox, { q: "duration:>50ms" }), [bySum[0]]);
      assert.deepEqual(queries(inbox, { since: NOON + 10 }), [bySum[0]]);
      assert.deepEqual(queries(inbox, { release: "shop@2" }), []);
      const { slowest, newest } = inbox.page("queries", { q: "from a" }).rows[0]!;
      assert.deepEqual([slowest.span_id, newest.span_id, newest.at], ["a2", "b1", NOON + 5]);
      const first = inbox.page("queries", { limit: 2 });
      const next = inbox.page("queries", { limit: 2, before: first.next! });
      assert.deepEqual([first.rows.length, next.rows.length, next.next], [2, 1, null]);
    },
  );

  test(
    "one endpoint → its runs, errors, and queries of each run and release",
    async (inbox, _, addOf) => {
      let trace = 0;
      const buy = async (version: string, ms: number, count: number) => {
        const all = Array.from(
          { length: count },
          (_, n): Sent => [`q${n}`, "f", "db", `q ${n}`, 1, 2],
        );
        await addOf(
          shop(version),
          spansOf(
            ++trace,
            ["r", null, SERVER, "POST /buy", 0, ms],
            ["f", "r", "function", "buy", 0, ms],
            ["o", "f", SERVER, "GET /stock", 0, 1],
            ["p", "o", "db", "of another request", 0, 1],
            ...all,
          ),
        );
      };
      for (const ms of [10, 30, 20, 50, 40]) await buy("1", ms, 1);
      for (const ms of [200, 300]) await buy("2", ms, 4);
      const failedAt = { timestamp: (NOON + 100) / 1_000 };
      await addOf(shop("2"), error("x", trace, failedAt), error("x", trace, failedAt));
      const { rows } = inbox.page("endpoints", {});
      const row = rows.find(({ name }) => name === "POST /buy")!;
      const id = row.application;
      const content = inbox.endpoint({ id, name: "POST /buy", op: SERVER })!;
      assert.deepEqual(content.row, row);
      assert.deepEqual(
        [row.rate, row.failed, row.before?.median],
        [7, 1, 30],
        "at least a minute",
      );
      assert.deepEqual(content.slowest.map(({ ms, side, failed }) => [ms, side, failed]), [
        [300, "since", true],
        [200, "since", false],
        [50, "before", false],
        [40, "before", false],
        [30, "before", false],
      ]);
      assert.equal(content.runs.length, 7);
      assert.deepEqual(content.errors.map(({ count }) => count), [2]);
      assert.deepEqual([content.queried, content.queried_ms], [{ since: 2, before: 5 }, 650]);
      assert.deepEqual(content.queries, [{
        statement: "q #",
        total_ms: 13,
        since: { runs: 2, fewest: 4, median: null, most: 4 },
        before: { runs: 5, fewest: 1, median: 1, most: 1 },
        is_more_often: true,
      }]);
      const { parts } = inbox.histogram({ of: "endpoints" });
      const failed = rows.reduce(
        (sum, { failed, before }) => sum + failed + (before?.failed ?? 0),
        0,
      );
      assert.equal(parts.reduce((sum, { failures }) => sum + failures, 0), failed);
      const one = inbox.endpoint({ id, name: "POST /buy", op: SERVER, release: "shop@2" });
      assert.deepEqual([one!.row.count, one!.row.before], [2, null]);
      for (const other of [{ op: "db" }, { op: undefined }, { name: "POST" }, { id: "0" }]) {
        assert.equal(inbox.endpoint({ id, name: "POST /buy", op: SERVER, ...other }), undefined);
      }
      const sorted = (sort: ListQuery["sort"]) =>
        inbox.page("endpoints", { sort }).rows.map(({ name }) => name);
      assert.deepEqual(sorted("duration"), ["GET /stock", "POST /buy"]);
      assert.deepEqual(sorted("-change"), ["POST /buy"], "new failures; too few runs");
      const paged = inbox.page("endpoints", { limit: 1 });
      const next = inbox.page("endpoints", { limit: 1, before: paged.next! });
      assert.deepEqual([...paged.rows, ...next.rows], rows);
      const behind: Sent = ["z", null, SERVER, "GET /late", -3 * HOUR_MS, 1 - 3 * HOUR_MS];
      await addOf({ ...shop("1"), sender: { release: "other@1" } }, spansOf(++trace, behind));
      const now = inbox.page("endpoints", {}).rows.find(({ name }) => name === "POST /buy")!;
      assert.equal(now.rate, 7, "another application's clock");
    },
  );
}
