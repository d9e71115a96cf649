import assert from "node:assert/strict";
import type { ListQuery } from "../../models/list_query.ts";
import { quoted } from "../../models/query/query.ts";
import { HOUR_MS } from "../../models/time_units.ts";
import { OWN_TELEMETRY } from "../../protocol/own_telemetry.ts";
import { type Attributes, error, hexId, log, span, type TestItem } from "./envelopes.ts";
import { type AddTest, bodies, NOON, shop, traces } from "./tested_index.ts";

/** Filters and searches of the lists. */
export function addFilterTests(test: AddTest): void {
  test("filter by group → its occurrences; in errors, the group", async (inbox, add) => {
    await add(error("order 1"));
    await add(error("payment"));
    await add(error("order 2"));
    const group = inbox.page("errors", {}).rows[0]!.group;
    const occurrences = inbox.page("occurrences", { group }).rows;
    assert.deepEqual(occurrences.map((row) => row.value), ["order 2", "order 1"]);
    assert.deepEqual(inbox.page("errors", { group }).rows.map((row) => row.count), [2]);
    assert.deepEqual(inbox.page("occurrences", { group: "none" }).rows, []);
  });

  test("filter by trace → every list", async (inbox, add) => {
    await add(span(1), error("a", 1), log("one", { trace_id: hexId(1) }));
    await add(error("b", 2), log("two", { trace_id: hexId(2) }), log("none"));
    await add(error("c"), log("three", { trace_id: hexId(1) }));
    const query = { trace: hexId(1) };
    assert.deepEqual(inbox.page("traces", query).rows.map((row) => row.trace_id), [hexId(1)]);
    assert.deepEqual(inbox.page("errors", query).rows.map((row) => row.value), ["a"]);
    assert.deepEqual(inbox.page("occurrences", query).rows.map((row) => row.value), ["a"]);
    assert.deepEqual(bodies(inbox, query), ["three", "one"]);
    assert.equal(inbox.page("envelopes", query).rows.length, 2);
    assert.deepEqual(inbox.page("logs", { trace: hexId(5) }), { rows: [], next: null });
    const { envelope } = inbox.page("occurrences", query).rows[0]!;
    assert.deepEqual(inbox.page("occurrences", { envelope }).rows.map((row) => row.value), ["a"]);
    assert.deepEqual(traces(inbox, { envelope }), [hexId(1)]);
  });

  test("filter by level → logs of this level and more severe ones", async (inbox, add) => {
    for (const level of ["trace", "debug", "info", "warn", "error", "fatal"]) {
      await add(log(level, { level }));
    }
    assert.deepEqual(bodies(inbox, { level: "warn" }), ["fatal", "error", "warn"]);
    assert.deepEqual(bodies(inbox, { level: "fatal" }), ["fatal"]);
    assert.equal(bodies(inbox, { level: "trace" }).length, 6);
    const { envelope } = inbox.page("logs", {}).rows.find(({ level }) => level === "debug")!;
    assert.deepEqual(bodies(inbox, { envelope }), ["debug"]);
  });

  test("filter by item type → envelopes", async (inbox, add) => {
    await add(span(1), log("x"));
    await add(span(2));
    await add(["session", {}]);
    assert.equal(inbox.page("envelopes", { type: "span" }).rows.length, 2);
    assert.equal(inbox.page("envelopes", { type: "log" }).rows.length, 1);
    assert.equal(inbox.page("envelopes", { type: "span", q: "log" }).rows.length, 1);
    assert.equal(inbox.page("envelopes", { type: "nothing" }).rows.length, 0);
  });

  test(
    "clock of an application → by when its newest envelope was sent",
    async (inbox, _, addOf) => {
      const clock = () => inbox.applications({}).rows.map(({ clock_ms }) => clock_ms);
      const sentAt = (ms: number) => ({ ...shop("1"), sent_at: new Date(ms).toISOString() });
      await addOf(shop("1"), error("not stated"));
      assert.deepEqual(clock(), [null]);
      await addOf(sentAt(NOON - HOUR_MS), log("behind"));
      assert.deepEqual(clock(), [-HOUR_MS - 1_000]);
      // Kept while offline: what happened is old, not the clock.
      await addOf(sentAt(NOON + 2_000), log("late", { timestamp: NOON / 1_000 - 3_600 }));
      assert.deepEqual(clock(), [0]);
    },
  );

  test(
    "filter by application → every list, counts and the rows' applications",
    async (inbox, _, addOf) => {
      await addOf(shop("1"), span(1), error("order 1", 1), log("one"));
      await addOf(OWN_TELEMETRY, span(1), span(2), error("order 2"), log("two"));
      await addOf(shop("2"), span(3), error("order 3"), log("three"));
      const { rows } = inbox.applications({});
      assert.deepEqual(rows.map(({ name, releases, envelopes }) => [name, releases, envelopes]), [
        ["shop", ["shop@2", "shop@1"], 2],
        ["Sightglass", [], 1],
      ]);
      assert.equal(rows[0]?.last_seen, NOON + 2_000);
      assert.deepEqual(rows[0]?.releases_since, [NOON + 2_000, NOON]);
      const application = rows[0]!.key;
      for (const query of [{ application }, { application: "apps" }]) {
        assert.deepEqual(traces(inbox, query), [hexId(3), hexId(1)]);
        assert.deepEqual(bodies(inbox, query), ["three", "one"]);
        assert.deepEqual(inbox.page("errors", query).rows.map((row) => row.count), [2]);
        assert.deepEqual(inbox.page("envelopes", query).rows.map((row) => row.application), [
          application,
          application,
        ]);
        const { counts } = inbox.applications(query);
        assert.deepEqual(counts, {
          traces: 2,
          errors: 1,
          logs: 2,
          recordings: 0,
          feedback: 0,
          profiles: 0,
          envelopes: 2,
        });
      }
      assert.deepEqual(inbox.page("traces", { trace: hexId(1) }).rows[0]?.applications, [
        application,
        "sightglass",
      ]);
      assert.deepEqual(bodies(inbox, { application: "sightglass" }), ["two"]);
      const failures = (application?: string) =>
        inbox.histogram({ of: "traces", application }).parts
          .reduce((sum, part) => sum + part.failures, 0);
      assert.deepEqual([failures("sightglass"), failures(application), failures()], [0, 1, 1]);
      assert.deepEqual(bodies(inbox, { application, release: "shop@1" }), ["one"]);
      const [group] = inbox.page("errors", { application, release: "shop@1" }).rows;
      const { count, first_seen, last_seen, chart } = group!;
      assert.deepEqual([count, first_seen, last_seen], [1, NOON, NOON], "of that release");
      const [newer] = inbox.page("errors", { application, release: "shop@2" }).rows;
      assert.equal(newer?.first_received_at, NOON, "of any release");
      assert.equal(chart.reduce((a, b) => a + b), 1);
      assert.deepEqual(bodies(inbox, { application: "0".repeat(14) }), []);
      assert.equal(inbox.page("errors", {}).rows[0]?.count, 3);
      assert.equal(inbox.page("errors", {}).rows[0]?.application, application);
    },
  );

  test(
    "trace of three applications → measured by its root; for each of them, by its own",
    async (inbox, _, addOf) => {
      const by = (service: string, op: string, from: number, to: number): TestItem =>
        span(1, {
          name: `${op} of ${service}`,
          is_segment: true,
          ...op !== "navigation" && { parent_span_id: "a".repeat(16) },
          start_timestamp: NOON / 1_000 + from,
          end_timestamp: NOON / 1_000 + to,
          attributes: { "sentry.op": { value: op }, "service.name": { value: service } },
        });
      const sdk = { name: "sentry.javascript.node" };
      await addOf({ sdk }, by("shop-worker", "queue.process", 1, 1.2));
      await addOf({ sdk }, by("shop-api", "http.server", 0.5, 1.094));
      await addOf(
        { sdk: { name: "sentry.javascript.react" } },
        by("shop-web", "navigation", 0, 1.84),
      );
      const keys = new Map(inbox.applications({}).rows.map(({ name, key }) => [name, key]));
      const rowFor = (query: ListQuery) => {
        const { op, started_at, ended_at, applications } = inbox.page("traces", query).rows[0]!;
        const names = applications.map((key) => [...keys].find((pair) => pair[1] === key)?.[0]);
        return [op, ended_at! - started_at, ...names];
      };
      const own: readonly [op: string, ms: number, ...names: string[]][] = [
        ["navigation", 1_840, "shop-web", "shop-worker", "shop-api"],
        ["http.server", 594, "shop-api", "shop-worker", "shop-web"],
        ["queue.process", 200, "shop-worker", "shop-api", "shop-web"],
      ];
      for (const row of own) {
        const application = keys.get(row[2]!)!;
        assert.deepEqual(rowFor({ application }), row);
        assert.deepEqual(rowFor({ application, sort: "slowest" }), row);
      }
      for (const query of [{}, { application: "apps" }]) assert.deepEqual(rowFor(query), own[0]);
    },
  );

  test("apps, but no other application → no own row, count or bar", async (inbox, _, addOf) => {
    const application = "apps";
    await addOf(OWN_TELEMETRY, span(1), error("own"), log("own"));
    const { counts } = inbox.applications({ application });
    assert.deepEqual(counts, {
      traces: 0,
      errors: 0,
      logs: 0,
      recordings: 0,
      feedback: 0,
      profiles: 0,
      envelopes: 0,
    });
    for (const list of ["traces", "errors", "logs"] as const) {
      assert.equal(inbox.page(list, { application }).rows.length, 0);
      const { parts } = inbox.histogram({ of: list, application });
      assert.ok(parts.every(({ count }) => count === 0));
      assert.equal(inbox.page(list, {}).rows.length, 1);
    }
    await addOf({}, ["event", {}]);
    assert.deepEqual(bodies(inbox, { application }), []);
    assert.equal(inbox.page("envelopes", { application }).rows.length, 1);
    await inbox.clear();
    assert.deepEqual(inbox.applications({}).rows, []);
  });

  test("last envelope of an application evicted → the application too", async (inbox, _, addOf) => {
    await addOf(shop("1"), log("one"));
    for (const body of ["two", "three", "four"]) await addOf(OWN_TELEMETRY, log(body));
    assert.deepEqual(inbox.applications({}).rows.map(({ name }) => name), ["Sightglass"]);
    assert.equal(bodies(inbox, { application: "sightglass" }).length, 3);
  }, 3);

  test(
    "page load after a time, its server's clock late → not before that time",
    async (inbox, add) => {
      const at = (seconds: number) => ({
        start_timestamp: NOON / 1_000 - seconds,
        end_timestamp: NOON / 1_000 - seconds + 1,
      });
      await add(span(1, { ...at(10), attributes: { "sentry.op": "pageload" } }));
      await add(span(1, { ...at(100), parent_span_id: "b".repeat(16) }));
      assert.deepEqual(traces(inbox, { until: NOON - 20_000 }), []);
      assert.deepEqual(traces(inbox, { since: NOON - 20_000 }), [hexId(1)]);
    },
  );

  test("time range → rows of that time; groups count those errors", async (inbox, add) => {
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
    assert.deepEqual(bodies(inbox, range), ["50 seconds"]);
    assert.deepEqual(traces(inbox, range), [hexId(50)]);
    assert.deepEqual(bodies(inbox, { since: NOON - 60_000 }), ["10 seconds", "50 seconds"]);
    const [group] = inbox.page("errors", range).rows;
    assert.deepEqual([group?.count, group?.trace_id, group?.first_seen, group?.last_seen], [
      1,
      hexId(50),
      NOON - 90_000,
      NOON - 10_000,
    ]);
    const chart = (query: ListQuery) => {
      const { chart = [], chart_from, chart_to } = inbox.page("errors", query).rows[0] ?? {};
      return [
        chart.flatMap((errors, part) => errors > 0 ? [[part, errors]] : []),
        chart_from,
        chart_to,
      ];
    };
    assert.deepEqual(chart(range), [[[6, 1]], range.since, range.until]);
    const open = { since: NOON - 120_000, now: NOON };
    assert.deepEqual(chart(open), [[[6, 1], [14, 1], [22, 1]], open.since, NOON]);
    const now = NOON - 30_000;
    assert.deepEqual(chart({ since: NOON - 60_000, now }), [[[8, 1]], NOON - 60_000, now], "later");
    const { counts } = inbox.applications(range);
    assert.deepEqual(counts, {
      traces: 1,
      errors: 1,
      logs: 1,
      recordings: 0,
      feedback: 0,
      profiles: 0,
      envelopes: 0,
    });
    // By the time of receipt.
    assert.equal(inbox.page("envelopes", { since: NOON + 1_000 }).rows.length, 2);
    assert.equal(inbox.page("envelopes", { until: NOON + 1_000 }).rows.length, 1);
  });

  test("status, operation, environment → traces that have them", async (inbox, add, addOf) => {
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
      // Of the page load, not of the server's part, which failed.
      [{ status: "2xx" }, [4, 1]],
      [{ status: "5xx" }, [2]],
      [{ op: "pageload" }, [3, 4]],
      [{ op: "http.server", status: "error" }, [4, 2]],
      [{ op: "db" }, [1]],
      [{ op: "db", name: "load" }, [1]],
      [{ name: "load", status: "ok" }, [1]],
      [{ op: "db", name: "other" }, []],
      [{ op: "pageload", status: "5xx", environment: "production" }, [4]],
      [{ environment: "test" }, [3, 4]],
      [{ environment: "none" }, []],
      // The status that others sent is not the environment's.
      [{ status: "5xx", environment: "test" }, []],
      [{ status: "2xx", environment: "test" }, [4]],
      [{ status: "error", environment: "test" }, [3]],
      [{ status: "ok", environment: "test" }, [4]],
    ];
    for (const [query, ids] of expected) {
      const sorted = traces(inbox, { ...query, sort: "started_at" }).toSorted();
      assert.deepEqual(traces(inbox, query), ids.map(hexId), JSON.stringify(query));
      assert.deepEqual(sorted, ids.map(hexId).toSorted(), JSON.stringify(query));
    }
    const statusOf = (query: ListQuery) => {
      const { op, failed, http_status } = inbox.page("traces", { ...query, trace: hexId(4) })
        .rows[0]!;
      return [op, failed, http_status];
    };
    assert.deepEqual(statusOf({}), ["pageload", true, 200]);
    assert.deepEqual(statusOf({ environment: "production" }), ["http.server", true, 500]);
    assert.deepEqual(inbox.applications({}).ops, ["db", "http.server", "pageload"]);
    const { counts } = inbox.applications({ environment: "test" });
    assert.deepEqual(counts, {
      traces: 2,
      errors: 1,
      logs: 0,
      recordings: 0,
      feedback: 0,
      profiles: 0,
      envelopes: 2,
    });
    assert.equal(inbox.page("errors", { environment: "production" }).rows.length, 0);
    await add(log("in a page load", { trace_id: hexId(3) }), log("in a request"), error("y", 1));
    for (
      const [query, logs, errors] of [
        [{ op: "pageload" }, ["in a page load"], ["x"]],
        [{ name: "load", op: "db" }, [], ["y"]],
        [{ name: "other" }, [], []],
      ] as const
    ) {
      assert.deepEqual(inbox.page("logs", query).rows.map(({ body }) => body), logs);
      for (const list of ["errors", "occurrences"] as const) {
        assert.deepEqual(inbox.page(list, query).rows.map(({ value }) => value), errors);
      }
      const { parts } = inbox.histogram({ of: "logs", ...query });
      assert.equal(parts.reduce((sum, { count }) => sum + count, 0), logs.length);
    }
  });

  test("preflights → left out, unless asked for or failed", async (inbox, add) => {
    const options = (trace: number, rest: Attributes = {}) =>
      span(trace, {
        name: "OPTIONS /cart",
        is_segment: true,
        attributes: { "sentry.op": { value: "http.server" } },
        ...rest,
      });
    await add(options(1));
    await add(options(2, { status: "internal_error" }));
    await add(span(3));
    const fastify = {
      "sentry.op": { value: "handler" },
      "http.request.method": { value: "OPTIONS" },
    };
    await add(options(6, { name: "/cart", attributes: fastify }));
    await add(["transaction", {
      transaction: "<anonymous>",
      contexts: { trace: { trace_id: hexId(7), op: "middleware.express" } },
      request: { method: "OPTIONS", url: "http://127.0.0.1/cart" },
    }]);
    const [express, streamed] = inbox.page("traces", { preflights: true }).rows;
    assert.deepEqual([express?.name, streamed?.name], Array(2).fill("OPTIONS /cart"));
    assert.deepEqual(traces(inbox), [hexId(3), hexId(2)]);
    assert.deepEqual(traces(inbox, { sort: "-started_at" }).length, 2);
    assert.equal(inbox.applications({}).counts.traces, 2);
    assert.deepEqual(traces(inbox, { preflights: true }), [7, 6, 3, 2, 1].map(hexId));
    assert.deepEqual(traces(inbox, { trace: hexId(1) }), [hexId(1)]);
    // What failed, or what the trace is named for, may be in another envelope.
    await add(options(4));
    await add(error("in a preflight", 4));
    await add(options(5));
    await add(span(5, { name: "/", attributes: { "sentry.op": { value: "pageload" } } }));
    assert.deepEqual(traces(inbox), [5, 4, 3, 2].map(hexId));
    assert.deepEqual(traces(inbox, { status: "error" }), [4, 2].map(hexId));
  });

  test(
    "two releases → endpoints by name, slowest first, of the newest and before",
    async (inbox, _add, addOf) => {
      let trace = 0;
      const run = (version: string, name: string, ms: number, status = "ok") =>
        addOf(shop(version), ["transaction", {
          transaction: name,
          contexts: {
            trace: { trace_id: hexId(++trace), span_id: "a", op: "http.server", status },
          },
          start_timestamp: NOON / 1_000,
          timestamp: NOON / 1_000 + ms / 1_000,
        }]);
      for (const ms of [10, 30, 20, 50, 40]) await run("1", "POST /buy", ms);
      await run("1", "GET /once", 70);
      for (const ms of [200, 300]) await run("2", "POST /buy", ms, "internal_error");
      await run("1", "OPTIONS /buy", 900);
      const rowsOf = (query: ListQuery) =>
        inbox.page("endpoints", query).rows.map((row) =>
          [row.name, row, row.before].map((of) =>
            of && typeof of === "object"
              ? [of.count, of.failed, of.shortest, of.median, of.longest]
              : of
          )
        );
      const buy = ["POST /buy", [2, 2, 200, null, 300], [5, 0, 10, 30, 50]];
      const once = ["GET /once", [1, 0, 70, null, 70], null];
      assert.deepEqual(rowsOf({}), [buy, once]);
      assert.deepEqual(rowsOf({ limit: 1 }), [buy]);
      assert.deepEqual(rowsOf({ release: "shop@1" }), [once, ["POST /buy", buy[2], null]]);
      assert.deepEqual(rowsOf({ sort: "-change" }), [buy], "new failures, of few runs too");
      assert.deepEqual(rowsOf({ application: "sightglass" }), []);
      assert.deepEqual(rowsOf({ q: "once duration:>60" }), [once]);
    },
  );

  test(
    "requests of one trace → endpoints with the failures and errors of each; warnings are none",
    async (inbox, _add, addOf) => {
      const request = (trace: number, name: string, at: number, rest: Attributes = {}): TestItem =>
        span(trace, {
          name,
          is_segment: true,
          start_timestamp: NOON / 1_000 + at,
          end_timestamp: NOON / 1_000 + at + 1,
          attributes: { "sentry.op": { value: "http.server" } },
          ...rest,
        });
      const errorAt = (trace: number, at: number, level = "error") =>
        error("x", trace, { timestamp: NOON / 1_000 + at, level });
      const failing = { status: "error" };
      // One envelope each, then all in one, as a batch of OpenTelemetry.
      await addOf(shop("1"), request(1, "GET /list", -60));
      await addOf(shop("1"), request(1, "POST /pay", -50, failing));
      await addOf(shop("1"), request(2, "GET /list", -60), request(2, "POST /pay", -50, failing));
      // An error is of the request that it occurred in; of the only request also later.
      await addOf(shop("1"), request(3, "GET /list", -60), request(3, "POST /mail", -50));
      await addOf(shop("1"), errorAt(3, -49.5), errorAt(3, -30));
      await addOf(shop("1"), request(4, "POST /mail", -60));
      await addOf(shop("1"), errorAt(4, -30));
      // Not known of which of two, of another application, of a lower level: not counted.
      await addOf(shop("1"), request(5, "GET /list", -60), request(5, "POST /mail", -59.5));
      await addOf(shop("1"), errorAt(5, -59.2));
      await addOf({ sdk: { name: "sentry.php" } }, errorAt(1, -59.5));
      await addOf(shop("1"), request(6, "POST /mail", -60), errorAt(6, -59.5, "warning"));
      const rows = inbox.page("endpoints", {}).rows.map((
        { name, count, failed, failed_since },
      ) => [name, count, failed, failed_since && failed_since - NOON]).sort();
      assert.deepEqual(rows, [
        ["GET /list", 4, 0, null],
        ["POST /mail", 4, 2, -60_000],
        ["POST /pay", 2, 2, -50_000],
      ]);
    },
  );

  test(
    "page loads → 75th percentile of 5 or more, fewer values themselves",
    async (inbox, add, addOf) => {
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
      for (const n of [1, 2, 3, 4, 6]) {
        await addOf(shop("1"), load(n, "/", { lcp: n * 1_000, cls: 0 }));
      }
      await addOf(shop("2"), load(5, "/basket", { lcp: 50 }));
      // Of the second load: measured when the page was left, as a single span.
      await addOf(shop("1"), ["span", {
        trace_id: hexId(2),
        op: "ui.interaction.click",
        parent_span_id: "a".repeat(16),
        data: { transaction: "/" },
        measurements: { inp: { value: 320 } },
      }]);
      // Of another application, streamed: the vital that comes later does not know the path.
      await add(span(9, {
        name: "Pageload",
        is_segment: true,
        attributes: { "sentry.op": { value: "pageload" }, "url.path": { value: "/" } },
      }));
      await add(span(9, {
        name: "Largest contentful paint",
        attributes: {
          "sentry.segment.name": { value: "Pageload" },
          "browser.web_vital.lcp.value": { value: 90 },
        },
      }));
      // A navigation within a page: its vitals, sent by themselves, do not know the path either.
      const navigation = { "sentry.segment.name": { value: "Navigation" } };
      const shift = { ...navigation, "browser.web_vital.cls.value": { value: 0.5 } };
      await add(span(10, { name: "Layout shift", attributes: shift }));
      assert.equal(
        inbox.page("pages", { q: "n" }).rows.length,
        0,
        "of a page that is not known yet",
      );
      await add(span(10, {
        name: "Navigation",
        is_segment: true,
        attributes: { "sentry.op": { value: "navigation" }, "url.path": { value: "/orders" } },
      }));
      // One that names an element, but no page.
      await add(span(11, {
        name: "main > div",
        is_segment: true,
        attributes: {
          "sentry.op": { value: "ui.webvital.cls" },
          "browser.web_vital.cls.value": { value: 0.5 },
        },
      }));
      const rows = (query: ListQuery) =>
        inbox.page("pages", query).rows.map(({ application: _, ...row }) => row);
      const few = (...values: number[]) => ({ count: values.length, p75: null, few: values });
      const many = (count: number, p75: number) => ({ count, p75, few: [] });
      const none = { lcp: few(), inp: few(), cls: few(), fcp: few(), ttfb: few() };
      const home = {
        ...none,
        page: "/",
        loads: 5,
        lcp: many(5, 4_000),
        inp: few(320),
        cls: many(5, 0),
      };
      const basket = { ...none, page: "/basket", loads: 1, lcp: few(50) };
      const other = { ...none, page: "/", loads: 1, lcp: few(90) };
      const orders = { ...none, page: "/orders", loads: 0, cls: few(0.5) };
      assert.deepEqual(rows({ environment: "test" }), [home, basket]);
      assert.deepEqual(rows({}), [home, other, basket, orders]);
      // Percentiles first, in either direction; then what has only a few values, by the highest.
      assert.deepEqual(rows({ sort: "-lcp" }), [home, other, basket]);
      assert.deepEqual(rows({ sort: "lcp" }), [home, basket, other]);
      assert.deepEqual(rows({ q: "BASKET" }), [basket]);
      assert.deepEqual(rows({ release: "shop@2" }), [basket]);
      assert.deepEqual(rows({ since: NOON - 1_500 }).map(({ loads }) => loads), [1, 1, 0]);
      assert.deepEqual(
        traces(inbox, { page: "/", environment: "test" }),
        [2, 6, 4, 3, 1].map(hexId),
      );
    },
  );

  test("errors of a level, handled or not → those errors", async (inbox, add) => {
    const handled = (value: boolean) => ({
      exception: { values: [{ type: "E", value: `${value}`, mechanism: { handled: value } }] },
    });
    await add(error("a", 1, { level: "warning" }), error("b", 1, { level: "fatal" }));
    await add(error("c", 1, handled(false)), error("d", 1, handled(true)));
    const values = (query: ListQuery) => inbox.page("errors", query).rows.map((row) => row.value);
    assert.deepEqual(values({ level: "error" }), ["true", "false", "b"]);
    assert.deepEqual(values({ level: "fatal" }), ["b"]);
    assert.deepEqual(values({ handled: false }), ["false"]);
  });

  test(
    "search → ids, names, messages and types, case-insensitive",
    async (inbox, add) => {
      await add(span(0xabc, { name: "GET /Orders" }), error("Größe FEHLT", 0xabc), log("Ωmega"));
      await add(["session", {}]);
      const hits = (q: string) => inbox.page("envelopes", { q }).rows.length;
      assert.deepEqual(
        ["get /orders", '"orders get"', "rders", "gröSSe", "größe", "ωMEGA", "TypeError"].map(hits),
        [
          1,
          0,
          0,
          0,
          1,
          1,
          1,
        ],
      );
      assert.deepEqual(["SESSION", "se", "s", ""].map(hits), [1, 1, 0, 2]);
      assert.equal(inbox.page("traces", { q: "get /ORD" }).rows.length, 1);
      assert.equal(inbox.page("traces", { q: "page load" }).rows.length, 0);
      const id = hexId(0xabc).toUpperCase();
      const dashed = id.replace(/(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
      assert.deepEqual([id, dashed, id.slice(0, 8), id.slice(0, 7), id.slice(1)].map(hits), [
        1,
        1,
        1,
        0,
        0,
      ]);
      assert.equal(inbox.page("traces", { q: dashed }).rows.length, 1);
      assert.equal(inbox.page("errors", { q: "größe" }).rows.length, 1);
      assert.equal(inbox.page("occurrences", { q: "fehlt" }).rows.length, 1);
      assert.equal(inbox.page("logs", { q: "Ω" }).rows.length, 1);
      assert.equal(inbox.page("logs", { q: "größe" }).rows.length, 0);
    },
  );

  test("search for wildcards, quotes or SQL → their words", async (inbox, add) => {
    const odd = ["100%", "a_b", `it's`, `say "hi"`, "c:\\x", "[d-f]", "a--b; DROP", "{{x}}"];
    for (const body of ["1000", "axb", "its", "sayhi", "dxf", ...odd]) await add(log(body));
    for (const body of odd) assert.ok(bodies(inbox, { q: quoted(body) }).includes(body), body);
    assert.deepEqual(bodies(inbox, { q: "a_b" }), ["a--b; DROP", "a_b"]);
    assert.deepEqual(bodies(inbox, { q: '"100%"' }), ["100%"]);
    assert.equal(bodies(inbox, { q: "% _ * ' \" AND OR NEAR( ) ^ {" }).length, 0);
    assert.equal(bodies(inbox, { q: "% _ *" }).length, 13);
  });

  test(
    "value that only a span, log or error has → its trace, with what has it",
    async (inbox, add) => {
      const second = NOON / 1_000;
      const call = (n: number, data: Attributes) => ({
        trace_id: hexId(1),
        span_id: `${n}`.repeat(16),
        op: "tool.call",
        description: "run tool",
        start_timestamp: second - 5,
        timestamp: second - 4.9985,
        data: { "order.id": `A-${n}`, "http.response.status_code": 200 + n, ...data },
      });
      await add(["transaction", {
        transaction: "POST /agent",
        start_timestamp: second - 5,
        timestamp: second - 0.8,
        contexts: {
          trace: { trace_id: hexId(1), span_id: "f".repeat(16), op: "http.server" },
          os: { name: "Linux", version: "6.1" },
        },
        server_name: "web-7",
        tags: { "http.status_code": "404", shelf: "S-7" },
        user: { id: "u-7", email: "" },
        spans: [call(1, {}), call(2, { "tool.args": '{"city":"Reykjavik"}', reasons: ["stop"] })],
      }]);
      await add(
        span(2, {
          name: "GET /health",
          start_timestamp: second - 1,
          end_timestamp: second - 0.999,
        }),
      );
      await add(
        log("sent", { trace_id: hexId(3), attributes: { cart: { value: 77 }, os: "Debian 12\n" } }),
      );
      const tags = { tenant: "acme", empty: "" };
      await add(
        error("no stock", 4, {
          tags,
          user: { id: "u-9" },
          contexts: {
            browser: { name: "Firefox", version: "150\n" },
            trace: { trace_id: hexId(4) },
          },
        }),
      );
      const found = (q: string) =>
        traces(inbox, { q }).map((id) => Number.parseInt(id.slice(-1), 16));
      const expected: readonly (readonly [string, number[]])[] = [
        ["Reykjavik", [1]],
        ["order.id:A-2 agent", [1]],
        ["order.id:A-3", []],
        ["stop", [1]],
        ["status_code:>=202", [1]],
        // By the tags, the user, the server and the contexts of a transaction.
        ['server_name:web-7 os.name:Linux os:"Linux 6.1"', [1]],
        ["shelf:S-7 user.id:u-7 status_code:400..499", [1]],
        ["-user.id:u-7 -user.id:u-9", [3, 2]],
        ["status_code:203..403", []],
        ["duration:>500ms", [1]],
        ["duration:<2s", [2]],
        ["-duration:<2s", [4, 3, 1]],
        ['-name:"GET /health" -cart:77', [4, 1]],
        ['cart:>70 level:info os:"Debian 12"', [3]],
        ['tenant:acme user.id:u-9 browser:"Firefox 150" browser.version:150 type:TypeError', [4]],
        [hexId(3).slice(0, 8), [4, 3, 2, 1]],
        [hexId(3), [3]],
      ];
      for (const [q, ids] of expected) assert.deepEqual(found(q), ids, q);
      const match = (q: string) => inbox.page("traces", { q }).rows[0]?.match;
      assert.deepEqual(match("agent run order.id:A-2"), {
        span_id: "2".repeat(16),
        name: "run tool",
      });
      assert.deepEqual(match("acme stock"), { span_id: null, name: "TypeError: no stock" });
      assert.deepEqual(match("cart:77"), { span_id: null, name: "sent" });
      assert.equal(match("-needle"), null);
      assert.equal(inbox.histogram({ of: "traces", q: "duration:>500ms" }).durations?.count, 1);
      assert.equal(inbox.page("envelopes", { q: "order.id:A-2" }).rows.length, 1);
    },
  );

  test("search in traces and groups → any of their entries matches", async (inbox, add) => {
    await add(span(1, { name: "needle", start_timestamp: NOON / 1_000 }));
    await add(span(2));
    await add(span(1, { name: "other" }));
    assert.deepEqual(traces(inbox, { q: "needle" }), [hexId(1)]);
    assert.equal(inbox.page("traces", { q: "needle" }).rows[0]?.spans, 2);
    assert.equal(inbox.page("traces", { q: "needle other" }).rows[0]?.match?.name, "needle");
    // Browsers send a web vital before its page load.
    await add(span(3, { name: "needle LCP", parent_span_id: "a".repeat(16), is_segment: false }));
    await add(span(3, { span_id: "a".repeat(16), name: "needle page" }));
    assert.equal(
      inbox.page("traces", { q: "needle", trace: hexId(3) }).rows[0]?.match?.name,
      "needle page",
    );
    assert.deepEqual(traces(inbox, { q: "-needle" }), [hexId(2)]);
    await add(error("order 17"));
    await add(error("order 18"));
    const [group] = inbox.page("errors", { q: "order 17" }).rows;
    assert.deepEqual([group?.value, group?.count], ["order …", 1]);
  });

  test(
    "error of several applications → all of them, those with most errors first",
    async (inbox, add, addOf) => {
      const keyOf = (name: string) =>
        inbox.applications({}).rows.find((row) => row.name === name)?.key;
      await addOf(shop("1.0"), error("a"));
      await addOf(shop("1.0"), error("a"));
      await add(error("a"));
      const rows = (query: ListQuery) =>
        inbox.page("errors", query).rows.map((
          { count, applications },
        ) => [count, applications.length]);
      await addOf({ sender: { environment: "test", release: "stock@2.0" } }, error("a"));
      assert.deepEqual(rows({}), [[4, 3]]);
      assert.equal(inbox.page("errors", {}).rows[0]?.applications[0], keyOf("shop"));
      assert.deepEqual(rows({ release: "shop@1.0" }), [[2, 1]]);
      const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b);
      for (const [name, errors] of [["shop", 2], ["stock", 1]] as const) {
        const application = keyOf(name)!;
        const [row] = inbox.page("errors", { application, state: "open" }).rows;
        const sums = [
          row?.count,
          sum(row!.chart),
          inbox.applications({ application }).counts.errors,
        ];
        assert.deepEqual([row?.application, ...sums], [application, errors, errors, 1]);
        assert.equal(inbox.page("occurrences", { application }).rows.length, errors);
        const { parts } = inbox.histogram({
          of: "errors",
          application,
          since: NOON - 1,
          until: NOON * 2,
        });
        assert.equal(sum(parts.map(({ count }) => count)), errors);
      }
    },
  );
}
