import assert from "node:assert/strict";
import type { Inbox } from "../inbox.ts";
import type { ListQuery } from "../../models/list_query.ts";
import { MINUTE_MS } from "../../models/time_units.ts";
import { OWN_TELEMETRY } from "../../protocol/own_telemetry.ts";
import { type Attributes, hexId, span, type TestItem } from "./envelopes.ts";
import { type AddTest, NOON, shop } from "./tested_index.ts";

const EVERY_5_MIN = {
  schedule: { type: "interval", value: 5, unit: "minute" },
  checkin_margin: 1,
  max_runtime: 2,
};

/** A check-in some minutes before noon. */
const checkIn = (
  minutes: number,
  id: number,
  status: string,
  rest: Attributes = {},
): TestItem => ["check_in", {
  ...{ check_in_id: hexId(id), monitor_slug: "sync", status },
  timestamp: (NOON - minutes * MINUTE_MS) / 1_000,
  ...rest,
}];

const runs = (inbox: Inbox, query: ListQuery = {}) =>
  inbox.page("runs", { now: NOON, ...query }).rows;
const states = (inbox: Inbox, query: ListQuery = {}) =>
  runs(inbox, query).map(({ slug, state }) => `${slug} ${state}`);
const monitors = (inbox: Inbox, query: ListQuery = {}) =>
  inbox.page("monitors", { now: NOON, ...query }).rows;

/** Monitors and their runs. */
export function addMonitorTests(test: AddTest): void {
  test("starts and ends in any order, again, without ids → runs", async (inbox, add) => {
    await add(checkIn(28, 1, "ok", { duration: 60 }));
    await add(checkIn(30, 1, "in_progress", { monitor_config: EVERY_5_MIN }));
    await add(checkIn(28, 1, "ok", { duration: 60 }));
    await add(checkIn(25, 0, "in_progress", { check_in_id: "0".repeat(32) }));
    await add(checkIn(24, 0, "error", { check_in_id: undefined }));
    await add(checkIn(20, 3, "in_progress"));
    await add(checkIn(15, 4, "in_progress"), checkIn(14, 4, "ok"));
    await add(checkIn(9, 5, "ok"));
    await add(checkIn(1, 6, "in_progress"));
    assert.deepEqual(
      runs(inbox).map((row) => [row.state, (NOON - row.started_at) / MINUTE_MS, row.duration]),
      [
        ["running", 1, MINUTE_MS],
        ["ok", 9, null],
        ["ok", 15, MINUTE_MS],
        ["unfinished", 20, 5 * MINUTE_MS],
        ["failed", 25, MINUTE_MS],
        ["ok", 30, MINUTE_MS],
      ],
    );
    const [row] = monitors(inbox);
    assert.deepEqual(
      [row?.state, row?.schedule, row?.next_at, row?.missed],
      ["running", "every 5 min", NOON + 4 * MINUTE_MS, [NOON - 4 * MINUTE_MS]],
    );
    assert.equal(row?.runs.length, 6);
    // The same check-ins, later.
    const long = monitors(inbox, { now: NOON + 2 * MINUTE_MS })[0]!;
    assert.deepEqual([long.state, long.since], ["over_time", NOON + MINUTE_MS]);
    await add(checkIn(0, 6, "ok"));
    assert.equal(monitors(inbox, { now: NOON + 5 * MINUTE_MS })[0]?.state, "ok");
    const late = monitors(inbox, { now: NOON + 12 * MINUTE_MS })[0]!;
    assert.deepEqual([late.state, late.since], ["missed", NOON + 4 * MINUTE_MS]);
    const [later] = monitors(inbox, { now: NOON + 12 * MINUTE_MS, since: NOON + 5 * MINUTE_MS });
    assert.deepEqual([later?.missed, later?.missed_from], [[NOON + 9 * MINUTE_MS], null]);
  });

  test(
    "process and job started again → a run without an end is unfinished after its time",
    async (inbox, _, addOf) => {
      const sender = { environment: "test", release: "shop@1" };
      const started = (minutes: number): TestItem => ["event", {
        message: "started",
        contexts: { app: { app_start_time: new Date(NOON - minutes * MINUTE_MS).toISOString() } },
      }];
      const header = { sdk: { name: "sentry.python" }, sender };
      await addOf(header, started(40));
      await addOf(header, checkIn(10, 1, "in_progress", { monitor_config: { max_runtime: 60 } }));
      assert.deepEqual(states(inbox), ["sync running"]);
      await addOf(header, started(4));
      await addOf(header, checkIn(3, 2, "in_progress"));
      assert.deepEqual(states(inbox), ["sync running", "sync running"]);
      const [other, run] = runs(inbox, { now: NOON + 58 * MINUTE_MS });
      assert.equal(other?.state, "over_time");
      assert.deepEqual([run?.state, run?.duration, run?.release], [
        "unfinished",
        6 * MINUTE_MS,
        "shop@1",
      ]);
    },
  );

  test("ok again after a missed time → since the run after it", async (inbox, add) => {
    const config = { monitor_config: EVERY_5_MIN };
    await add(...[40, 35, 30].map((minutes) => checkIn(minutes, minutes, "ok", config)));
    const [absent] = monitors(inbox, { now: NOON - 20 * MINUTE_MS });
    assert.deepEqual([absent?.state, absent?.since], ["missed", NOON - 25 * MINUTE_MS]);
    await add(...[9, 4].map((minutes) => checkIn(minutes, minutes, "ok", config)));
    const [row] = monitors(inbox);
    assert.deepEqual([row?.state, row?.since, row?.since_earlier], [
      ...["ok", NOON - 9 * MINUTE_MS, false],
    ]);
  });

  test(
    "clock an hour behind → runs are expected by it, the next one at its time here",
    async (inbox, _, addOf) => {
      const HOUR = 60;
      const sent_at = new Date(NOON - HOUR * MINUTE_MS).toISOString();
      const config = { monitor_config: EVERY_5_MIN };
      const header = { ...shop("1"), sent_at };
      await addOf(header, checkIn(HOUR + 5, 1, "ok", config), checkIn(HOUR, 2, "ok", config));
      const rowOf = (minutes: number) => monitors(inbox, { now: NOON + minutes * MINUTE_MS })[0]!;
      const { state, missed, next_at } = rowOf(2);
      assert.deepEqual([state, missed, next_at], ["ok", [], NOON + 5 * MINUTE_MS]);
      assert.equal(rowOf(7).state, "missed");
      await addOf(header, checkIn(HOUR - 5, 3, "in_progress", config));
      assert.equal(rowOf(6).state, "running");
      assert.equal(rowOf(8).state, "over_time");
    },
  );

  test("crontab of no time, its run ok → its schedule states so", async (inbox, add) => {
    const schedule = { type: "crontab", value: "61 25 * * *" };
    await add(checkIn(5, 1, "ok", { monitor_config: { schedule, timezone: "Asia/Tokyo" } }));
    const [row] = monitors(inbox);
    assert.deepEqual([row?.state, row?.next_at, row?.schedule], [
      ...["ok", null, "61 25 * * *, Asia/Tokyo: not valid, or never due"],
    ]);
  });

  test("more runs than are read → since earlier; those before a time", async (inbox, add) => {
    const every4Min = {
      monitor_config: { schedule: { type: "interval", value: 4, unit: "minute" } },
    };
    await add(checkIn(400, 1, "error"));
    await add(checkIn(390, 2, "ok"), checkIn(380, 3, "ok"));
    const [few] = monitors(inbox, { until: NOON - 385 * MINUTE_MS, limit: 1 });
    assert.deepEqual([few?.since_earlier, few?.since, few?.has_more], [
      ...[false, NOON - 390 * MINUTE_MS, true],
    ]);
    // A run that was not over at that time.
    await add(checkIn(386, 4, "in_progress"));
    await add(checkIn(384, 4, "ok", { duration: 120 }));
    for (let n = 100; n >= 0; n--) await add(checkIn(n, n + 10, "ok", every4Min));
    const [row] = monitors(inbox, { until: NOON - 385 * MINUTE_MS });
    assert.deepEqual([row?.state, row?.since, row?.since_earlier, row?.has_more], [
      ...["ok", NOON - 100 * MINUTE_MS, true, true],
    ]);
    assert.deepEqual(row?.runs.map(({ state }) => state), ["ok", "ok", "failed"]);
    assert.deepEqual(row?.missed, [NOON - 392 * MINUTE_MS, NOON - 396 * MINUTE_MS]);
    assert.equal(row?.missed_from, null);
    assert.equal(monitors(inbox)[0]?.missed_from, NOON - 100 * MINUTE_MS);
    // Within the margin of the last one, too, which is over now.
    for (const until of [NOON - 200 * MINUTE_MS, NOON - 204 * MINUTE_MS + 1]) {
      assert.equal(monitors(inbox, { until })[0]?.missed[0], NOON - 204 * MINUTE_MS);
    }
    assert.equal(monitors(inbox)[0]?.since_earlier, true);
  }, 200);

  test(
    "more check-ins than are read → runs of rarer monitors, and of one envelope",
    async (inbox, add) => {
      const often = (n: number, rest: Attributes = {}) =>
        checkIn(1_000 - n / 100, n + 9, "ok", { monitor_slug: "often", ...rest });
      await add(checkIn(2_000, 1, "ok"));
      await add(often(0, { monitor_slug: "first" }), often(1));
      const [oldest, , sync] = runs(inbox);
      for (let n = 2; n < 10_200; n += 255) {
        await add(...Array.from({ length: 255 }, (_, i) => often(n + i)));
      }
      assert.deepEqual(states(inbox, { q: "sync" }), ["sync ok"]);
      assert.deepEqual(states(inbox, { envelope: sync!.envelope }), ["sync ok"]);
      assert.deepEqual(states(inbox, { envelope: oldest!.envelope }), ["often ok", "first ok"]);
    },
    2_000,
  );

  test(
    "one slug in two environments and applications → a monitor each",
    async (inbox, _, addOf) => {
      const staging = { sdk: { name: "sentry.python" }, sender: { environment: "staging" } };
      for (const header of [shop("1"), staging, OWN_TELEMETRY]) {
        await addOf(header, span(1), checkIn(5, 1, "in_progress"));
      }
      await addOf(staging, checkIn(4, 1, "ok"));
      assert.deepEqual(
        monitors(inbox, { application: "apps" }).map((row) => [row.environment, row.state]),
        [["test", "running"], ["staging", "ok"]],
      );
      const { monitor, application } = monitors(inbox, { environment: "staging" })[0]!;
      assert.deepEqual(states(inbox, { monitor }), ["sync ok"]);
      assert.deepEqual(states(inbox, { application: application! }), ["sync ok"]);
      assert.deepEqual(states(inbox, { release: "shop@1" }), ["sync running"]);
      assert.deepEqual(states(inbox, { application: "sightglass" }), ["sync running"]);
      assert.equal(monitors(inbox).length, 3);
    },
  );

  test("runs → filters, search, pages, eviction", async (inbox, add) => {
    const contexts = { trace: { trace_id: hexId(7) } };
    await add(checkIn(30, 1, "ok"));
    await add(checkIn(20, 2, "error", { monitor_slug: "report", contexts }));
    await add(checkIn(10, 3, "ok", { duration: 20.25 }));
    assert.deepEqual(states(inbox, { trace: hexId(7) }), ["report failed"]);
    assert.deepEqual(states(inbox, { q: "repo" }), ["report failed"]);
    assert.deepEqual(states(inbox, { q: "status:ok -monitor:report" }), ["sync ok", "sync ok"]);
    assert.deepEqual(states(inbox, { q: "name:report" }), ["report failed"]);
    // Of no application.
    for (const environment of ["production", "staging"]) {
      const found = runs(inbox, { environment }).length;
      assert.equal(found, environment === "production" ? 3 : 0);
      assert.equal(runs(inbox, { q: `environment:${environment}` }).length, found);
      assert.equal(runs(inbox, { q: `-environment:${environment}` }).length, 3 - found);
    }
    assert.deepEqual(states(inbox, { q: hexId(2) }), ["report failed"]);
    assert.deepEqual(states(inbox, { q: "duration:20s..21s" }), ["sync ok"]);
    assert.equal(states(inbox, { q: "-duration:>20s" }).length, 2);
    const since = NOON - 25 * MINUTE_MS;
    assert.deepEqual(states(inbox, { since }), ["sync ok", "report failed"]);
    assert.deepEqual(monitors(inbox, { since }).map(({ slug, runs }) => [slug, runs.length]), [
      ["report", 1],
      ["sync", 1],
    ]);
    assert.deepEqual(monitors(inbox, { q: "sync" }).map(({ runs }) => runs.length), [2]);
    const { envelope } = runs(inbox, { q: "report" })[0]!;
    assert.deepEqual(states(inbox, { envelope }), ["report failed"]);
    const envelopes = inbox.page("envelopes", { q: "report" }).rows;
    assert.deepEqual(envelopes.map(({ summary }) => summary?.title), ["report"]);
    const first = inbox.page("runs", { now: NOON, limit: 2 });
    await add(checkIn(1, 4, "ok"));
    const before = first.next!;
    const second = inbox.page("runs", { now: NOON, limit: 2, before });
    assert.deepEqual([...first.rows, ...second.rows].map(({ check_in_id }) => check_in_id), [
      hexId(3),
      hexId(2),
      hexId(1),
    ]);
    assert.equal(second.next, null);
    // Evicts the first.
    await add(checkIn(0, 5, "ok"));
    assert.equal(runs(inbox).at(-1)?.check_in_id, hexId(2));
  }, 4);
}
