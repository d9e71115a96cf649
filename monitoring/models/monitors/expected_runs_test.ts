import assert from "node:assert/strict";
import fc from "fast-check";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../time_units.ts";
import { type MonitorConfig, NO_CONFIG } from "./check_in.ts";
import { expectedRuns, missedDuring } from "./expected_runs.ts";
import type { CheckIn } from "./runs.ts";
import { MAX_ROW_RUNS } from "./monitor_row.ts";

const at = (time: string) => Date.parse(`2026-${time}Z`);
const iso = (time: number) => new Date(time).toISOString().slice(5, 16);

/** What is expected after runs that started at these times. */
function expected(schedule: MonitorConfig["schedule"], starts: readonly number[], now: number, {
  timezone = null as string | null,
  margin_ms = MINUTE_MS,
  duration = 0,
} = {}) {
  const runs = runsAt(starts, duration);
  const found = expectedRuns(runs, { ...NO_CONFIG, schedule, timezone, margin_ms }, now);
  return {
    missed: found.missed.map(iso),
    next: found.next && iso(found.next),
    after: found.afterNewest && iso(found.afterNewest),
  };
}
const runsAt = (starts: readonly number[], duration = 0) =>
  starts.map((started_at) => ({
    ...{ started_at, ended: "ok" as const, duration },
    checkIns: [{ status: "ok", at: started_at + duration } as CheckIn],
  }));
const crontab = (value: string) => ({ type: "crontab", value }) as const;

Deno.test("crontab → each time has its own run within the margin, else was missed", () => {
  const hourly = crontab("0 * * * *");
  const starts = [at("11-29T08:00:02"), at("11-29T08:59:40"), at("11-29T10:00:59")];
  const now = at("11-29T11:00:30");
  assert.deepEqual(expected(hourly, starts, now), { missed: [], next: "11-29T11:00", after: null });
  const late = expected(hourly, starts, at("11-29T13:30"));
  assert.deepEqual(late, {
    missed: ["11-29T13:00", "11-29T12:00", "11-29T11:00"],
    ...{ next: "11-29T14:00", after: "11-29T11:00" },
  });
  // Too late for 09:00; a second run at one time is nothing that was expected.
  const odd = [starts[0]!, at("11-29T09:02"), at("11-29T10:00:01"), at("11-29T10:00:02")];
  assert.deepEqual(expected(hourly, odd, at("11-29T10:30")).missed, ["11-29T09:00"]);
  const withMargin = expected(hourly, odd, at("11-29T10:30"), { margin_ms: 5 * MINUTE_MS });
  assert.deepEqual(withMargin.missed, []);
});

Deno.test("only the end of a run is reported → it came if its start or its end is in time", () => {
  const nightly = crontab("15 2 * * *");
  const missed = (start: string, duration: number, margin_ms = MINUTE_MS) =>
    expected(nightly, [at("11-28T02:15"), at(start)], at("11-29T12:00"), { duration, margin_ms })
      .missed;
  const early = at("11-29T02:12:56") - at("11-29T02:15:02");
  assert.deepEqual(missed("11-29T02:12:56", -early), [], "its end is in time");
  assert.deepEqual(missed("11-29T02:15:02", 3_600_000), [], "its start is");
  assert.deepEqual(missed("11-29T02:12:56", 1_000), ["11-29T02:15"]);
});

Deno.test("time zone with daylight saving, last day, third Friday → their times", () => {
  const timezone = "Europe/Stockholm";
  const daily = (month: string, now: string, time = "0 2") =>
    expected(crontab(`${time} * * *`), [at(month)], at(now), { timezone }).missed;
  // 02:00 does not exist on 29 March, and exists twice on 25 October.
  assert.deepEqual(daily("03-28T01:00", "03-30T12:00"), ["03-30T00:00", "03-29T01:00"]);
  assert.equal(daily("03-28T01:30", "03-30T12:00", "30 2")[1], "03-29T01:00");
  assert.deepEqual(daily("10-24T00:00", "10-26T12:00"), ["10-26T01:00", "10-25T00:00"]);
  const next = (value: string, timezone?: string) =>
    expected(crontab(value), [at("11-01T00:00")], at("11-02T00:00"), { timezone }).next;
  assert.equal(next("0 0 L * *"), "11-30T00:00");
  assert.equal(next("0 9 * * 5#3"), "11-20T09:00");
  assert.equal(next("@monthly"), "12-01T00:00");
  assert.equal(next("0 9 * * *", "America/New_York"), "11-02T14:00");
});

Deno.test("interval → counts from each run", () => {
  const every15 = { type: "interval", value: 15, unit: "minute" } as const;
  const starts = [at("11-29T13:46"), at("11-29T13:58"), at("11-29T14:18")];
  assert.deepEqual(expected(every15, starts, at("11-29T14:32")), {
    missed: ["11-29T14:13"],
    ...{ next: "11-29T14:33", after: "11-29T14:33" },
  });
  const later = expected(every15, starts, at("11-29T15:00"));
  assert.deepEqual(later.missed, ["11-29T14:48", "11-29T14:33", "11-29T14:13"]);
  assert.equal(later.next, "11-29T15:03");
  const monthly = expected(
    { type: "interval", value: 1, unit: "month" },
    [at("01-15T10:00")],
    at("03-20T00:00"),
  );
  assert.deepEqual(monthly, {
    missed: ["03-15T10:00", "02-15T10:00"],
    ...{ next: "04-15T10:00", after: "02-15T10:00" },
  });
});

Deno.test("no schedule, run or meaning → nothing is expected", () => {
  const nothing = { missed: [], next: null, after: null };
  const starts = [at("01-01T00:00")];
  const now = at("11-29T12:00");
  assert.deepEqual(expected(null, starts, now), nothing);
  assert.deepEqual(expected(crontab("* * * * *"), [], now), nothing);
  const without = ["0 0 31 2 *", "@reboot", "hello", "* * * * * *", "61 * * * *"];
  for (const value of [...without, "2026-12-01T00:00:00", "*".repeat(100)]) {
    assert.deepEqual(expected(crontab(value), starts, now), nothing, value);
  }
  const nowhere = expected(crontab("* * * * *"), starts, now, { timezone: "Nowhere/Land" });
  assert.deepEqual(nowhere, nothing);
});

Deno.test("missed for months → the newest times, and when the first was", () => {
  const every = [crontab("* * * * *"), { type: "interval", value: 1, unit: "minute" }] as const;
  for (const schedule of every) {
    const found = expected(schedule, [at("01-01T00:00")], at("11-29T12:00"));
    assert.equal(found.missed.length, MAX_ROW_RUNS);
    assert.equal(found.after, "01-01T00:01");
    const listed = (query: { since?: number }, most = 50) => {
      const config = { ...NO_CONFIG, schedule };
      const now = at("11-29T12:00:30");
      const runs = runsAt([at("11-29T11:09")]);
      const { missed, missed_from } = missedDuring(runs, config, query, now, most + 1, true);
      return [missed.length, missed_from && iso(missed_from)];
    };
    assert.deepEqual(listed({}), [50, null]);
    assert.deepEqual(listed({}, 49), [49, "11-29T11:11"]);
    assert.deepEqual(listed({ since: at("11-29T11:11") }, 49), [49, null]);
    assert.deepEqual(listed({ since: at("11-29T11:59") }, 49), [1, null]);
  }
});

Deno.test("any crontab or interval → never throws, in order, missed ones before now", () => {
  const field = fc.oneof(
    fc.constantFrom("*", "*/5", "L", "1-5", "5#3", "MON", "29", "31W", "1,2,3", "?", "+1"),
    fc.string({ maxLength: 6 }),
  );
  const schedule = fc.oneof(
    fc.array(field, { minLength: 4, maxLength: 6 }).map((fields) => crontab(fields.join(" "))),
    fc.record({
      type: fc.constant("interval" as const),
      value: fc.integer({ min: 1, max: 100_000 }),
      unit: fc.constantFrom("minute", "hour", "day", "week", "month", "year"),
    }),
  );
  const now = at("11-29T12:00");
  const ages = fc.array(fc.oneof(fc.nat(3 * HOUR_MS), fc.nat(900 * DAY_MS)), { maxLength: 5 });
  fc.assert(fc.property(schedule, ages, fc.constantFrom("UTC", "Asia/Kathmandu"), (...args) => {
    const [schedule, ages, timezone] = args;
    const starts = ages.map((age) => now - age).sort((a, b) => a - b);
    const runs = starts.map((started_at) => ({
      ...{ started_at, ended: "ok" as const, duration: 0, checkIns: [] },
    }));
    const { missed, next } = expectedRuns(runs, { ...NO_CONFIG, schedule, timezone }, now);
    assert.ok(missed.length <= MAX_ROW_RUNS);
    assert.deepEqual(missed, missed.toSorted((a, b) => b - a));
    for (const time of missed) assert.ok(time + MINUTE_MS < now && time >= starts[0]! - MINUTE_MS);
    assert.ok(next === null || next + MINUTE_MS >= now);
  }));
});
