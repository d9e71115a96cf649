import assert from "node:assert/strict";
import { envelopeOf, hexId, type TestItem } from "./envelopes.ts";
import type { ListQuery, Lists, ListSort, Page, SourceList } from "../../models/rows.ts";
import type { InboxRow } from "../../protocol/inbox_row.ts";
import { OWN_TELEMETRY } from "../../protocol/own_telemetry.ts";

/** An implementation of the lists. */
export interface IndexUnderTest {
  /** Stores and indexes an envelope; over the limit the oldest is evicted. */
  add(envelope: Uint8Array<ArrayBuffer>, receivedAt: number): Promise<void>;
  list<Name extends keyof Lists>(name: Name, query: ListQuery): Page<Lists[Name]>;
  envelopes(query: ListQuery): Page<InboxRow>;
  sources(query: ListQuery): SourceList;
  clear(): void;
  /** Deletes its files. */
  remove(): void;
}

/** Size of each envelope of the suite: a limit in bytes is a limit in envelopes. */
export const ENVELOPE_BYTES = 4_000;

/** When the first envelope was received; each later one a second later. */
const NOON = 1_795_262_400_000;

type Attributes = Record<string, unknown>;

/** Items of an envelope. */
export const span = (trace: number, rest: Attributes = {}): TestItem => [
  "span",
  { items: [{ trace_id: hexId(trace), name: "load", ...rest }] },
];
export const log = (body: string, rest: Attributes = {}): TestItem => [
  "log",
  { items: [{ body, level: "info", ...rest }] },
];
export const error = (value: string, trace?: number, rest: Attributes = {}): TestItem => ["event", {
  exception: { values: [{ type: "TypeError", value }] },
  contexts: trace === undefined ? {} : { trace: { trace_id: hexId(trace) } },
  ...rest,
}];

/** The header of an envelope of an application. */
const shop = (version: string): Attributes => ({
  sdk: { name: "sentry.python" },
  trace: { environment: "test", release: `shop@${version}` },
});

/**
 * The contract of the lists, as tests for each implementation. Pass each to `Deno.test`.
 *
 * @param make creates an empty index for at most `max` envelopes of {@linkcode ENVELOPE_BYTES}
 */
export function indexTests(
  name: string,
  make: (maxEnvelopes: number) => IndexUnderTest,
): readonly Deno.TestDefinition[] {
  const tests: Deno.TestDefinition[] = [];
  function test(
    behaviour: string,
    body: (
      index: IndexUnderTest,
      add: (...items: TestItem[]) => Promise<void>,
      addOf: (header: Attributes, ...items: TestItem[]) => Promise<void>,
    ) => Promise<void>,
    maxEnvelopes = 100,
  ): void {
    const fn = async () => {
      const index = make(maxEnvelopes);
      let count = 0;
      try {
        const addOf = (header: Attributes, ...items: TestItem[]) =>
          index.add(padded(items, header), NOON + 1_000 * count++);
        await body(index, (...items) => addOf({}, ...items), addOf);
      } finally {
        index.remove();
      }
    };
    tests.push({ name: `${name}: ${behaviour}`, fn });
  }

  test("empty index → empty lists", (index) => {
    for (const list of ["traces", "errors", "occurrences", "logs"] as const) {
      assert.deepEqual(index.list(list, {}), { rows: [], next: null });
    }
    assert.deepEqual(index.envelopes({ q: "x" }), { rows: [], next: null });
    return Promise.resolve();
  });

  test("every list → newest first", async (index, add) => {
    for (let n = 1; n <= 3; n++) {
      await add(span(n), log(`log ${n}`), error(`failed ${"abc"[n - 1]}`));
    }
    assert.deepEqual(traces(index), [hexId(3), hexId(2), hexId(1)]);
    assert.deepEqual(bodies(index), ["log 3", "log 2", "log 1"]);
    const values = ["failed c", "failed b", "failed a"];
    assert.deepEqual(index.list("errors", {}).rows.map((row) => row.value), values);
    assert.deepEqual(index.list("occurrences", {}).rows.map((row) => row.value), values);
    const ids = index.envelopes({}).rows.map((row) => row.id);
    assert.deepEqual(ids, ids.toSorted((a, b) => b - a));
  });

  test("entries of one envelope → last one first", async (index, add) => {
    await add(["log", { items: [{ body: "first" }, { body: "second" }] }]);
    assert.deepEqual(index.list("logs", {}).rows.map(({ body, index }) => [body, index]), [
      ["second", 1],
      ["first", 0],
    ]);
  });

  test("trace in several envelopes → one row", async (index, add) => {
    const id = hexId(7);
    await add(["span", {
      items: [
        { trace_id: id, name: "child", parent_span_id: "a", start_timestamp: NOON / 1_000 - 5 },
        { trace_id: id, name: "late", parent_span_id: "a", end_timestamp: NOON / 1_000 + 9 },
      ],
    }]);
    await add(span(8));
    await add(error("x", 7), log("y", { trace_id: id }));
    await add(span(7, {
      name: "GET /",
      attributes: { "sentry.op": { value: "http.server", type: "string" } },
      start_timestamp: NOON / 1_000 - 4,
      end_timestamp: NOON / 1_000 - 1,
    }));
    await add(["replay_event", { replay_id: hexId(99), trace_ids: [id, hexId(1234)] }]);
    const { rows } = index.list("traces", {});
    assert.deepEqual(rows.map((row) => row.trace_id), [id, hexId(8)]);
    assert.deepEqual(rows[0], {
      trace_id: id,
      name: "GET /",
      op: "http.server",
      started_at: NOON - 5_000,
      ended_at: NOON + 9_000,
      spans: 3,
      errors: 1,
      logs: 1,
      failed: true,
      http_status: null,
      replay_id: hexId(99),
      received_at: NOON + 3_000,
      sources: [index.sources({}).rows[0]!.key],
    });
  });

  test(
    "trace with only errors and logs → named for the error, starts with the earliest",
    async (index, add) => {
      await add(error("x", 7, { timestamp: NOON / 1_000 - 3 }));
      await add(log("y", { trace_id: hexId(7), timestamp: NOON / 1_000 - 8 }));
      const [row] = index.list("traces", {}).rows;
      assert.deepEqual([row?.name, row?.started_at, row?.ended_at], [
        "TypeError: x",
        NOON - 8_000,
        null,
      ]);
    },
  );

  test("group → count, times and newest error", async (index, add) => {
    await add(error("order 1", 1, { timestamp: NOON / 1_000 - 10 }));
    await add(error("order 2", 2, { timestamp: NOON / 1_000 - 30, level: "fatal" }));
    await add(error("payment"));
    const { rows } = index.list("errors", {});
    assert.deepEqual(rows.map((row) => [row.value, row.count]), [["payment", 1], ["order 2", 2]]);
    const { group: _, envelope, source: __, ...row } = rows[1]!;
    assert.equal(envelope, index.envelopes({}).rows[1]?.id);
    assert.deepEqual(row, {
      type: "TypeError",
      value: "order 2",
      where: null,
      level: "fatal",
      handled: null,
      count: 2,
      first_seen: NOON - 30_000,
      last_seen: NOON - 10_000,
      chart: Array.from({ length: 24 }, (_, part) => [0, 23].includes(part) ? 1 : 0),
      chart_from: NOON - 30_000,
      chart_to: NOON - 10_000,
      trace_id: hexId(2),
      state: "open",
      regression: null,
    });
    assert.equal(index.list("errors", { state: "open" }).rows.length, 2);
    assert.equal(index.list("errors", { state: "muted" }).rows.length, 0);
  });

  test("filter by group → its occurrences; in errors, the group", async (index, add) => {
    await add(error("order 1"));
    await add(error("payment"));
    await add(error("order 2"));
    const group = index.list("errors", {}).rows[0]!.group;
    const occurrences = index.list("occurrences", { group }).rows;
    assert.deepEqual(occurrences.map((row) => row.value), ["order 2", "order 1"]);
    assert.deepEqual(index.list("errors", { group }).rows.map((row) => row.count), [2]);
    assert.deepEqual(index.list("occurrences", { group: "none" }).rows, []);
  });

  test("filter by trace → every list", async (index, add) => {
    await add(span(1), error("a", 1), log("one", { trace_id: hexId(1) }));
    await add(error("b", 2), log("two", { trace_id: hexId(2) }), log("none"));
    await add(error("c"), log("three", { trace_id: hexId(1) }));
    const query = { trace: hexId(1) };
    assert.deepEqual(index.list("traces", query).rows.map((row) => row.trace_id), [hexId(1)]);
    assert.deepEqual(index.list("errors", query).rows.map((row) => row.value), ["a"]);
    assert.deepEqual(index.list("occurrences", query).rows.map((row) => row.value), ["a"]);
    assert.deepEqual(bodies(index, query), ["three", "one"]);
    assert.equal(index.envelopes(query).rows.length, 2);
    assert.deepEqual(index.list("logs", { trace: hexId(5) }), { rows: [], next: null });
  });

  test("filter by level → logs of this level and more severe ones", async (index, add) => {
    for (const level of ["trace", "debug", "info", "warn", "error", "fatal"]) {
      await add(log(level, { level }));
    }
    assert.deepEqual(bodies(index, { level: "warn" }), ["fatal", "error", "warn"]);
    assert.deepEqual(bodies(index, { level: "fatal" }), ["fatal"]);
    assert.equal(bodies(index, { level: "trace" }).length, 6);
  });

  test("filter by item type → envelopes", async (index, add) => {
    await add(span(1), log("x"));
    await add(span(2));
    await add(["session", {}]);
    assert.equal(index.envelopes({ type: "span" }).rows.length, 2);
    assert.equal(index.envelopes({ type: "log" }).rows.length, 1);
    assert.equal(index.envelopes({ type: "span", q: "log" }).rows.length, 1);
    assert.equal(index.envelopes({ type: "nothing" }).rows.length, 0);
  });

  test("filter by source → every list, counts and the rows' sources", async (index, _, addOf) => {
    await addOf(shop("1"), span(1), error("order 1", 1), log("one"));
    await addOf(OWN_TELEMETRY, span(1), span(2), error("order 2"), log("two"));
    await addOf(shop("2"), span(3), error("order 3"), log("three"));
    const { rows } = index.sources({});
    assert.deepEqual(rows.map(({ name, releases, envelopes }) => [name, releases, envelopes]), [
      ["shop", ["shop@2", "shop@1"], 2],
      ["Sightglass", [], 1],
    ]);
    assert.equal(rows[0]?.last_seen, NOON + 2_000);
    const source = rows[0]!.key;
    for (const query of [{ source }, { source: "apps" }]) {
      assert.deepEqual(traces(index, query), [hexId(3), hexId(1)]);
      assert.deepEqual(bodies(index, query), ["three", "one"]);
      assert.deepEqual(index.list("errors", query).rows.map((row) => row.count), [2]);
      assert.deepEqual(index.envelopes(query).rows.map((row) => row.source), [source, source]);
      const { counts } = index.sources(query);
      assert.deepEqual(counts, { traces: 2, errors: 1, logs: 2, envelopes: 2 });
    }
    assert.deepEqual(index.list("traces", { trace: hexId(1) }).rows[0]?.sources, [
      source,
      "sightglass",
    ]);
    assert.deepEqual(bodies(index, { source: "sightglass" }), ["two"]);
    assert.deepEqual(bodies(index, { source, release: "shop@1" }), ["one"]);
    assert.deepEqual(bodies(index, { source: "0".repeat(14) }), []);
    assert.equal(index.list("errors", {}).rows[0]?.count, 3);
    assert.equal(index.list("errors", {}).rows[0]?.source, source);
  });

  test("applications before any was seen → Sightglass's own rows", async (index, _, addOf) => {
    await addOf(OWN_TELEMETRY, log("own"));
    assert.deepEqual(bodies(index, { source: "apps" }), ["own"]);
    await addOf({}, ["client_report", {}]);
    assert.deepEqual(bodies(index, { source: "apps" }), []);
    assert.equal(index.envelopes({ source: "apps" }).rows.length, 1);
    index.clear();
    assert.deepEqual(index.sources({}).rows, []);
    await addOf(OWN_TELEMETRY, log("own again"));
    assert.deepEqual(bodies(index, { source: "apps" }), ["own again"]);
  });

  test("last envelope of a source evicted → the source too", async (index, _, addOf) => {
    await addOf(shop("1"), log("one"));
    for (const body of ["two", "three", "four"]) await addOf(OWN_TELEMETRY, log(body));
    assert.deepEqual(index.sources({}).rows.map(({ name }) => name), ["Sightglass"]);
    assert.equal(bodies(index, { source: "apps" }).length, 3);
  }, 3);

  test("time range → rows of that time; groups count those errors", async (index, add) => {
    const secondsAgo = (n: number) => NOON / 1_000 - n;
    for (const n of [90, 50, 10]) {
      const timestamp = secondsAgo(n);
      await add(
        span(n, { start_timestamp: timestamp, end_timestamp: timestamp + 1 }),
        error("order 1", n, { timestamp }),
        log(`${n} seconds`, { timestamp }),
      );
    }
    const range = { since: NOON - 60_000, until: NOON - 20_000 };
    assert.deepEqual(bodies(index, range), ["50 seconds"]);
    assert.deepEqual(traces(index, range), [hexId(50)]);
    assert.deepEqual(bodies(index, { since: NOON - 60_000 }), ["10 seconds", "50 seconds"]);
    const [group] = index.list("errors", range).rows;
    assert.deepEqual([group?.count, group?.trace_id, group?.first_seen, group?.last_seen], [
      1,
      hexId(50),
      NOON - 90_000,
      NOON - 10_000,
    ]);
    const chart = (query: ListQuery) => {
      const { chart = [], chart_from, chart_to } = index.list("errors", query).rows[0] ?? {};
      return [
        chart.flatMap((errors, part) => errors > 0 ? [[part, errors]] : []),
        chart_from,
        chart_to,
      ];
    };
    assert.deepEqual(chart(range), [[[6, 1]], range.since, range.until]);
    const open = { since: NOON - 120_000, now: NOON };
    assert.deepEqual(chart(open), [[[6, 1], [14, 1], [22, 1]], open.since, NOON]);
    const { counts } = index.sources(range);
    assert.deepEqual(counts, { traces: 1, errors: 1, logs: 1, envelopes: 0 });
    // By the time of receipt.
    assert.equal(index.envelopes({ since: NOON + 1_000 }).rows.length, 2);
    assert.equal(index.envelopes({ until: NOON + 1_000 }).rows.length, 1);
  });

  test("slowest traces → by duration, those without one left out, paged", async (index, add) => {
    const start = NOON / 1_000 - 100;
    const times = (n: number, seconds: number) =>
      span(n, { start_timestamp: start, end_timestamp: start + seconds });
    await add(times(1, 2), times(2, 9), times(3, 1));
    await add(times(1, 5), error("only an error", 4));
    assert.deepEqual(traces(index, { sort: "slowest" }), [2, 1, 3].map(hexId));
    const pages = everyPage((before) =>
      index.list("traces", { sort: "slowest", limit: 2, before })
    );
    assert.deepEqual(pages.map((row) => row.trace_id), [2, 1, 3].map(hexId));
  });

  test("most frequent errors → by count", async (index, add) => {
    for (const value of ["a", "b", "b", "b", "a", "c"]) await add(error(`failed ${value}`));
    const values = (query: ListQuery) =>
      index.list("errors", query).rows.map((row) => [row.value, row.count]);
    assert.deepEqual(values({ sort: "frequent" }), [
      ["failed b", 3],
      ["failed a", 2],
      ["failed c", 1],
    ]);
    assert.deepEqual(values({ sort: "frequent", q: "failed c" }), [["failed c", 1]]);
  });

  test("sort by a column, either way → by its value, paged", async (index, add) => {
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
      "-spans": [1, 2, 3],
      "-errors": [2, 1, 3],
      "-logs": [3, 2, 1],
      // Of another list: newest first.
      count: [3, 2, 1],
    };
    for (const [sort, order] of Object.entries(expected) as [ListSort, number[]][]) {
      const pages = everyPage((before) => index.list("traces", { sort, limit: 1, before }));
      assert.deepEqual(pages.map((row) => row.trace_id), order.map(hexId), sort);
    }
    const groups = (query: ListQuery) => index.list("errors", query).rows.map((row) => row.value);
    assert.deepEqual(groups({ sort: "first_seen" }), ["failed b", "failed a"]);
    assert.deepEqual(groups({ sort: "-last_seen" }), ["failed b", "failed a"]);
    assert.deepEqual(groups({ sort: "count" }), ["failed a", "failed b"]);
    assert.deepEqual(groups({ sort: "-count", q: "failed a" }), ["failed a"]);
  });

  test("status, operation, environment → traces that have them", async (index, add, addOf) => {
    const root = (trace: number, op: string, code: number, rest: Attributes = {}) =>
      span(trace, {
        attributes: { "sentry.op": { value: op }, "http.response.status_code": { value: code } },
        ...rest,
      });
    const child = { parent_span_id: "a".repeat(16), is_segment: false, status: "error" };
    await add(root(1, "http.server", 200), root(1, "db", 503, child));
    await add(root(2, "http.server", 503, { status: "internal_error" }));
    await addOf(shop("1"), root(3, "pageload", 404, { status: "ok" }));
    // The server's part of a page load, in an envelope of its own.
    await add(
      root(4, "http.server", 500, { parent_span_id: "b", is_segment: true, status: "error" }),
    );
    await addOf(shop("2"), root(4, "pageload", 200), error("x", 3));
    const expected: readonly (readonly [ListQuery, number[]])[] = [
      [{ status: "ok" }, [1]],
      [{ status: "error" }, [3, 4, 2]],
      [{ status: "2xx" }, [4, 1]],
      [{ status: "5xx" }, [4, 2]],
      [{ op: "pageload" }, [3, 4]],
      [{ op: "http.server", status: "error" }, [2]],
      [{ op: "pageload", status: "5xx", environment: "production" }, [4]],
      [{ environment: "test" }, [3, 4]],
      [{ environment: "none" }, []],
    ];
    for (const [query, ids] of expected) {
      const sorted = traces(index, { ...query, sort: "started_at" }).toSorted();
      assert.deepEqual(traces(index, query), ids.map(hexId), JSON.stringify(query));
      assert.deepEqual(sorted, ids.map(hexId).toSorted(), JSON.stringify(query));
    }
    const [row] = index.list("traces", { status: "5xx" }).rows;
    assert.deepEqual([row?.op, row?.failed, row?.http_status], ["pageload", true, 500]);
    assert.deepEqual(index.sources({}).ops, ["http.server", "pageload"]);
    const { counts } = index.sources({ environment: "test" });
    assert.deepEqual(counts, { traces: 2, errors: 1, logs: 0, envelopes: 2 });
    assert.equal(index.list("errors", { environment: "production" }).rows.length, 0);
  });

  test("page loads → 75th percentile of each vital, their traces", async (index, add, addOf) => {
    const load = (
      trace: number,
      page: string,
      measurements: Attributes,
    ): TestItem => ["transaction", {
      transaction: page,
      contexts: { trace: { trace_id: hexId(trace), op: "pageload" } },
      measurements: Object.fromEntries(
        Object.entries(measurements).map(([name, value]) => [name, { value }]),
      ),
      start_timestamp: NOON / 1_000 - trace,
    }];
    for (const n of [1, 2, 3, 4]) await addOf(shop("1"), load(n, "/", { lcp: n * 1_000, cls: 0 }));
    await addOf(shop("2"), load(5, "/basket", { lcp: 50 }));
    // Of the second load: measured when the page was left, as a single span.
    await addOf(shop("1"), ["span", {
      trace_id: hexId(2),
      op: "ui.interaction.click",
      parent_span_id: "a".repeat(16),
      data: { transaction: "/" },
      measurements: { inp: { value: 320 } },
    }]);
    // Of another application, streamed.
    await add(span(9, {
      name: "/",
      is_segment: true,
      attributes: {
        "sentry.op": { value: "pageload" },
        "browser.web_vital.ttfb.value": { value: 90 },
      },
    }));
    const rows = (query: ListQuery) =>
      index.list("pages", query).rows.map(({ source: _, ...row }) => row);
    const none = { lcp: null, inp: null, cls: null, fcp: null, ttfb: null };
    const home = { ...none, page: "/", loads: 4, lcp: 3_000, inp: 320, cls: 0 };
    const basket = { ...none, page: "/basket", loads: 1, lcp: 50 };
    assert.deepEqual(rows({ environment: "test" }), [home, basket]);
    assert.deepEqual(rows({}), [home, { ...none, page: "/", loads: 1, ttfb: 90 }, basket]);
    assert.deepEqual(rows({ q: "BASKET" }), [basket]);
    assert.deepEqual(rows({ release: "shop@2" }), [basket]);
    assert.deepEqual(rows({ since: NOON - 1_500 }).map(({ loads }) => loads), [1, 1]);
    assert.deepEqual(traces(index, { page: "/", environment: "test" }), [2, 4, 3, 1].map(hexId));
  });

  test("errors of a level, handled or not → those errors", async (index, add) => {
    const handled = (value: boolean) => ({
      exception: { values: [{ type: "E", value: `${value}`, mechanism: { handled: value } }] },
    });
    await add(error("a", 1, { level: "warning" }), error("b", 1, { level: "fatal" }));
    await add(error("c", 1, handled(false)), error("d", 1, handled(true)));
    const values = (query: ListQuery) => index.list("errors", query).rows.map((row) => row.value);
    assert.deepEqual(values({ level: "error" }), ["true", "false", "b"]);
    assert.deepEqual(values({ level: "fatal" }), ["b"]);
    assert.deepEqual(values({ handled: false }), ["false"]);
  });

  test(
    "search → ids, names, messages and types, case-insensitive",
    async (index, add) => {
      await add(span(0xabc, { name: "GET /Orders" }), error("Größe FEHLT", 0xabc), log("Ωmega"));
      await add(["session", {}]);
      const hits = (q: string) => index.envelopes({ q }).rows.length;
      assert.deepEqual(["ABC", "get /orders", "grösSE", "größe", "ωMEGA", "TypeError"].map(hits), [
        1,
        1,
        0,
        1,
        1,
        1,
      ]);
      assert.deepEqual(["SESSION", "s", ""].map(hits), [1, 2, 2]);
      assert.equal(index.list("traces", { q: "get /ORD" }).rows.length, 1);
      assert.equal(index.list("traces", { q: hexId(0xabc).slice(5, 30) }).rows.length, 1);
      assert.equal(index.list("errors", { q: "größe" }).rows.length, 1);
      assert.equal(index.list("occurrences", { q: "fehlt" }).rows.length, 1);
      assert.equal(index.list("logs", { q: "Ω" }).rows.length, 1);
      assert.equal(index.list("logs", { q: "größe" }).rows.length, 0);
    },
  );

  test("search for wildcards, quotes or SQL → taken literally", async (index, add) => {
    const odd = ["100%", "a_b", `it's`, `say "hi"`, "c:\\x", "[a-c]", "*", "a--b; DROP", "{{x}}"];
    for (const body of ["100 percent", "axb", "its", ...odd]) await add(log(body));
    for (const body of odd) assert.deepEqual(bodies(index, { q: body }), [body]);
    assert.deepEqual(bodies(index, { q: "%" }), ["100%"]);
    assert.deepEqual(bodies(index, { q: "_" }), ["a_b"]);
  });

  test("search in traces and groups → any of their entries matches", async (index, add) => {
    await add(span(1, { name: "needle", start_timestamp: NOON / 1_000 }));
    await add(span(2));
    await add(span(1, { name: "other" }));
    assert.deepEqual(traces(index, { q: "needle" }), [hexId(1)]);
    assert.equal(index.list("traces", { q: "needle" }).rows[0]?.spans, 2);
    await add(error("order 17"));
    await add(error("order 18"));
    const [group] = index.list("errors", { q: "order 17" }).rows;
    assert.deepEqual([group?.value, group?.count], ["order 17", 2]);
  });

  test("paging → every row once", async (index, add) => {
    for (let n = 0; n < 23; n++) {
      await add(span(n % 9), log(`log ${n}`), error(`failed ${"abcdefg"[n % 7]}`));
    }
    assert.deepEqual(paged(index, "traces").map((row) => row.trace_id), traces(index));
    assert.deepEqual(paged(index, "logs").map((row) => row.body), bodies(index));
    assert.equal(paged(index, "errors").length, 7);
    assert.equal(paged(index, "occurrences").length, 23);
    const all = everyPage((before) => index.envelopes({ limit: 4, before })).map((row) => row.id);
    assert.deepEqual(all, index.envelopes({}).rows.map((row) => row.id));
  });

  test("rows added while paging → no row missing or twice", async (index, add) => {
    for (let n = 0; n < 9; n++) await add(span(n), error(`failed ${"abcdefghi"[n]}`));
    const expected = traces(index);
    const seen: string[] = [];
    const groups: string[] = [];
    let page: { traces?: string; errors?: string } = {};
    for (let n = 0; n < 5; n++) {
      const listed = index.list("traces", { limit: 2, before: page.traces });
      seen.push(...listed.rows.map((row) => row.trace_id));
      const errors = index.list("errors", { limit: 2, before: page.errors });
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

  test("invalid `before` → refused", async (index, add) => {
    await add(span(1));
    for (const before of ["", "x", "1", "-1.2", "5.1", "1e3.5", "9".repeat(17) + ".1"]) {
      assert.throws(() => index.list("traces", { before }), /before is not/);
      assert.throws(() => index.envelopes({ before }), /before is not/);
    }
  });

  test(
    "eviction → rows removed from lists and counts",
    async (index, add) => {
      await add(span(1, { name: "root", start_timestamp: NOON / 1_000 - 9 }), error("order 1", 1));
      await add(span(1, { name: "child", parent_span_id: "a" }), error("order 2", 1), log("old"));
      await add(span(2));
      assert.equal(index.list("traces", { trace: hexId(1) }).rows[0]?.name, "root");
      await add(log("new"));
      const [trace] = index.list("traces", { trace: hexId(1) }).rows;
      assert.deepEqual([trace?.name, trace?.spans, trace?.errors], ["child", 1, 1]);
      assert.equal(index.list("errors", {}).rows[0]?.count, 1);
      assert.equal(index.list("occurrences", { q: "order 1" }).rows.length, 0);
      await add(log("newer"));
      await add(log("newest"));
      assert.deepEqual(traces(index), []);
      assert.deepEqual(index.list("errors", {}).rows, []);
      assert.deepEqual(bodies(index), ["newest", "newer", "new"]);
      assert.equal(index.envelopes({}).rows.length, 3);
      assert.equal(index.envelopes({ trace: hexId(1) }).rows.length, 0);
    },
    3,
  );

  test("clear → empty lists, then new rows", async (index, add) => {
    await add(span(1), error("x", 1), log("y"));
    const [before] = index.envelopes({}).rows;
    index.clear();
    for (const list of ["traces", "errors", "occurrences", "logs"] as const) {
      assert.deepEqual(index.list(list, {}), { rows: [], next: null });
    }
    assert.deepEqual(index.envelopes({}), { rows: [], next: null });
    await add(span(1), log("z"));
    assert.equal(index.list("traces", {}).rows[0]?.errors, 0);
    assert.ok(index.envelopes({}).rows[0]!.id > before!.id);
  });

  return tests;
}

/** An envelope of {@linkcode ENVELOPE_BYTES}. */
function padded(items: readonly TestItem[], header: Attributes): Uint8Array<ArrayBuffer> {
  const empty = envelopeOf({ ...header, pad: "" }, ...items).byteLength;
  return envelopeOf({ ...header, pad: "x".repeat(ENVELOPE_BYTES - empty) }, ...items);
}

const traces = (index: IndexUnderTest, query: ListQuery = {}) =>
  index.list("traces", query).rows.map((row) => row.trace_id);
const bodies = (index: IndexUnderTest, query: ListQuery = {}) =>
  index.list("logs", query).rows.map((row) => row.body);

/** All rows of a list, two per page. */
const paged = <Name extends keyof Lists>(index: IndexUnderTest, name: Name) =>
  everyPage((before) => index.list(name, { limit: 2, before }));

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
