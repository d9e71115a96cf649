import assert from "node:assert/strict";
import {
  categoriesIn,
  categoryBits,
  categoryOf,
  KNOWN_CATEGORIES,
} from "../protocol/categories.ts";
import { RateLimits } from "./rate_limits.ts";

const DSN = "https://key@o1.ingest.sentry.io/1";
const OTHER = "https://key@o1.ingest.sentry.io/2";
const items = (...types: string[]) => types.map(categoryOf);

/** The limits after one answer at time 0, with `Date` at its beginning. */
function after(status: number, headers: Record<string, string>): RateLimits {
  const limits = new RateLimits();
  limits.learn(DSN, { status, headers: new Headers(headers) }, 0, 0);
  return limits;
}

const announced = (value: string, status = 429) => after(status, { "x-sentry-rate-limits": value });
const holds = (limits: RateLimits, types: string[], now = 0, dsn = DSN) =>
  limits.judge(dsn, items(...types), now) !== undefined;

Deno.test("a limit holds for its categories and its DSN, until its time is over", () => {
  const limits = announced("60:error;transaction:organization:quota");
  assert.ok(holds(limits, ["event"]));
  assert.ok(holds(limits, ["event", "transaction"], 59_999));
  assert.ok(!holds(limits, ["event"], 60_000));
  assert.ok(!holds(limits, ["span"]));
  assert.ok(!holds(limits, ["event"], 0, OTHER));
});

Deno.test("one item that may go takes the others along", () => {
  assert.ok(!holds(announced("60:error:key"), ["event", "replay_event"]));
});

Deno.test("without categories a limit holds for all, also for what nobody knows yet", () => {
  const limits = announced("60::organization");
  for (const type of ["event", "client_report", "something_new"]) assert.ok(holds(limits, [type]));
});

Deno.test("it comes on a 200 as well", () => {
  assert.ok(holds(announced("60:replay:project", 200), ["replay_event", "replay_recording"]));
});

Deno.test("a 429 without the header: Retry-After in seconds or as a date, else 60 seconds, for all", () => {
  assert.equal(
    after(429, { "retry-after": "7" }).judge(DSN, items("event"), 0)?.["retry-after"],
    "7",
  );
  const date = after(429, { "retry-after": new Date(5_000).toUTCString() });
  assert.ok(holds(date, ["span"], 4_999) && !holds(date, ["span"], 5_000));
  const silent = after(429, {});
  assert.ok(holds(silent, ["event"], 59_999) && !holds(silent, ["event"], 60_000));
});

Deno.test("Retry-After alone on another status is no limit", () => {
  assert.ok(!holds(after(503, { "retry-after": "7" }), ["event"]));
});

Deno.test("of two limits on one category the longer one holds, in whatever order they come", () => {
  for (
    const value of ["60:error:key, 5:error:organization", "5:error:organization, 60:error:key"]
  ) {
    assert.ok(holds(announced(value), ["event"], 59_000), value);
  }
});

Deno.test("fractions of a second, spaces, and what the future adds are understood", () => {
  const limits = announced(" 2.5 : error : key : why : custom : more , 60:span:key");
  assert.ok(holds(limits, ["event"], 2_499) && !holds(limits, ["event"], 2_500));
  assert.ok(holds(limits, ["span"], 59_000));
});

Deno.test("categories that no item counts as are ignored, and are never taken for all", () => {
  assert.ok(!holds(announced("60:tea;coffee:key"), ["event"]));
});

Deno.test("metric buckets are limited where their namespace is", () => {
  assert.ok(holds(announced("60:metric_bucket:key:quota:custom"), ["statsd"]));
  assert.ok(holds(announced("60:metric_bucket:key"), ["statsd"]));
  assert.ok(!holds(announced("60:metric_bucket:key:quota:transactions"), ["statsd"]));
});

Deno.test("the answer names what holds, with what the ingest called it and the seconds left", () => {
  const limits = announced("60:error:organization:quota, 20:span:key");
  assert.deepEqual(limits.judge(DSN, items("event", "span", "event"), 10_001), {
    "x-sentry-rate-limits": "50:error:organization:quota, 10:span:key",
    // From then on the spans may go, and with them the envelope.
    "retry-after": "10",
  });
});

const NONSENSE = ["", " ", ":::", "soon:error:key", "-5:error:key", "1e9:error:key", "NaN::"];

Deno.test("nonsense is no limit", () => {
  for (const value of NONSENSE) assert.ok(!holds(announced(value, 200), ["event"]), value);
});

Deno.test("a 429 whose header says nothing is one without: Retry-After, else 60 seconds, for all", () => {
  for (const value of NONSENSE) {
    const named = after(429, { "x-sentry-rate-limits": value, "retry-after": "7" });
    assert.ok(holds(named, ["span"], 6_999) && !holds(named, ["span"], 7_000), value);
    const silent = announced(value);
    assert.ok(holds(silent, ["event"], 59_999) && !holds(silent, ["event"], 60_000), value);
  }
});

Deno.test("a limit of more than an hour → holds for an hour", () => {
  const limits = announced("999999999:error:key");
  assert.ok(holds(limits, ["event"], 3_599_999) && !holds(limits, ["event"], 3_600_000));
});

Deno.test("every category of an item → a bit of its own, which is read back", () => {
  const all = [undefined, ...KNOWN_CATEGORIES];
  const bits = all.map((category) => categoryBits([category]));
  assert.equal(new Set(bits).size, all.length);
  assert.ok(bits.every((each) => each > 0));
  for (const category of all) assert.deepEqual(categoriesIn(categoryBits([category])), [category]);
  assert.deepEqual(new Set(categoriesIn(categoryBits(all))), new Set(all));
});

Deno.test("what the spool leaves → exactly what the same limits hold live", () => {
  const types = ["event", "transaction", "replay_recording", "statsd", "something_new"];
  const limits = announced("60:error:key, 20:transaction;replay:key");
  const all = announced("60::organization");
  for (const now of [0, 30_000, 60_000]) {
    for (let set = 1; set < 2 ** types.length; set++) {
      const own = types.filter((_, at) => set & 2 ** at);
      const bits = categoryBits(items(...own));
      for (const each of [limits, all]) {
        const isHeld = (bits & ~each.held(DSN, now).categories) === 0;
        assert.equal(isHeld, holds(each, own, now), `${own} after ${now} ms`);
      }
    }
  }
  assert.deepEqual(limits.held(DSN, 5_000).endsInMs, 15_000);
  assert.deepEqual(limits.held(OTHER, 0), { categories: 0, endsInMs: Infinity });
});
