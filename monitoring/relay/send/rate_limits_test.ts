import assert from "node:assert/strict";
import { categoryBits, categoryOf } from "../../protocol/categories.ts";
import { RateLimits } from "./rate_limits.ts";

const DSN = "https://key@o1.ingest.sentry.io/1";
const OTHER = "https://key@o1.ingest.sentry.io/2";
const items = (...types: string[]) => types.map(categoryOf);

/** The limits after one answer at time 0, with `Date` at its beginning. */
function after(status: number, headers: Record<string, string>): RateLimits {
  const limits = new RateLimits();
  limits.update(DSN, { status, headers: new Headers(headers) }, 0, 0);
  return limits;
}

const announced = (value: string, status = 429) => after(status, { "x-sentry-rate-limits": value });
const isLimited = (limits: RateLimits, types: string[], now = 0, dsn = DSN) =>
  limits.check(dsn, items(...types), now) !== undefined;

Deno.test("limit → applies to its categories and DSN until its time is over", () => {
  const limits = announced("60:error;transaction:organization:quota");
  assert.ok(isLimited(limits, ["event"]));
  assert.ok(isLimited(limits, ["event", "transaction"], 59_999));
  assert.ok(!isLimited(limits, ["event"], 60_000));
  assert.ok(!isLimited(limits, ["span"]));
  assert.ok(!isLimited(limits, ["event"], 0, OTHER));
});

Deno.test("limit of another server → applies, and is not reported again", () => {
  const limits = announced("60:error:key");
  const [own] = limits.unshared(1_000);
  assert.ok(own);
  assert.deepEqual([own.dsn, own.category, own.limit.until, own.limit.rest], [
    DSN,
    "error",
    60_000,
    "key",
  ]);
  own.limit.isShared = true;
  const of = (category: string) => ({ dsn: OTHER, category, endsInMs: 0, rest: "" });
  limits.learn(of("transaction"), 30_000, 1_000);
  limits.learn(of("unknown"), 30_000, 1_000);
  assert.ok(isLimited(limits, ["transaction"], 29_999, OTHER));
  assert.deepEqual(limits.unshared(1_000), []);
  limits.learn(of(""), 1e12, 1_000);
  assert.ok(isLimited(limits, ["anything"], 3_600_999, OTHER));
  assert.ok(!isLimited(limits, ["anything"], 3_601_000, OTHER), "an hour at most");
});

Deno.test("one item without a limit → the envelope is sent", () => {
  assert.ok(!isLimited(announced("60:error:key"), ["event", "replay_event"]));
});

Deno.test("limit without categories → applies to all, unknown item types included", () => {
  const limits = announced("60::organization");
  for (const type of ["event", "client_report", "something_new"]) {
    assert.ok(isLimited(limits, [type]));
  }
});

Deno.test("limit announced with a 200 → applies", () => {
  assert.ok(isLimited(announced("60:replay:project", 200), ["replay_event", "replay_recording"]));
});

Deno.test("429 without limits → all categories, for Retry-After (seconds or date) or 60 s", () => {
  assert.equal(
    after(429, { "retry-after": "7" }).check(DSN, items("event"), 0)?.["retry-after"],
    "7",
  );
  const date = after(429, { "retry-after": new Date(5_000).toUTCString() });
  assert.ok(isLimited(date, ["span"], 4_999) && !isLimited(date, ["span"], 5_000));
  const silent = after(429, {});
  assert.ok(isLimited(silent, ["event"], 59_999) && !isLimited(silent, ["event"], 60_000));
});

Deno.test("Retry-After on another status → no limit", () => {
  assert.ok(!isLimited(after(503, { "retry-after": "7" }), ["event"]));
});

Deno.test("two limits on one category, in any order → the longer one applies", () => {
  for (
    const value of ["60:error:key, 5:error:organization", "5:error:organization, 60:error:key"]
  ) {
    assert.ok(isLimited(announced(value), ["event"], 59_000), value);
  }
});

Deno.test("fractions of a second, spaces, unknown fields → parsed", () => {
  const limits = announced(" 2.5 : error : key : why : custom : more , 60:span:key");
  assert.ok(isLimited(limits, ["event"], 2_499) && !isLimited(limits, ["event"], 2_500));
  assert.ok(isLimited(limits, ["span"], 59_000));
});

Deno.test("unknown categories only → no limit", () => {
  assert.ok(!isLimited(announced("60:tea;coffee:key"), ["event"]));
});

Deno.test("metric_bucket → limited only if the namespace applies to SDKs", () => {
  assert.ok(isLimited(announced("60:metric_bucket:key:quota:custom"), ["statsd"]));
  assert.ok(isLimited(announced("60:metric_bucket:key"), ["statsd"]));
  assert.ok(!isLimited(announced("60:metric_bucket:key:quota:transactions"), ["statsd"]));
});

Deno.test("check → headers with the limits that apply and the seconds left", () => {
  const limits = announced("60:error:organization:quota, 20:span:key");
  assert.deepEqual(limits.check(DSN, items("event", "span", "event"), 10_001), {
    "x-sentry-rate-limits": "50:error:organization:quota, 10:span:key",
    // From then on the spans may go, and with them the envelope.
    "retry-after": "10",
  });
});

const NONSENSE = ["", " ", ":::", "soon:error:key", "-5:error:key", "1e9:error:key", "NaN::"];

Deno.test("invalid header → no limit", () => {
  for (const value of NONSENSE) assert.ok(!isLimited(announced(value, 200), ["event"]), value);
});

Deno.test("429 with an invalid header → all categories, for Retry-After or 60 s", () => {
  for (const value of NONSENSE) {
    const named = after(429, { "x-sentry-rate-limits": value, "retry-after": "7" });
    assert.ok(isLimited(named, ["span"], 6_999) && !isLimited(named, ["span"], 7_000), value);
    const silent = announced(value);
    assert.ok(isLimited(silent, ["event"], 59_999) && !isLimited(silent, ["event"], 60_000), value);
  }
});

Deno.test("limit of more than an hour → applies for an hour", () => {
  const limits = announced("999999999:error:key");
  assert.ok(isLimited(limits, ["event"], 3_599_999) && !isLimited(limits, ["event"], 3_600_000));
});

Deno.test("envelopes limited in the spool → exactly those limited live", () => {
  const types = ["event", "transaction", "replay_recording", "statsd", "something_new"];
  const limits = announced("60:error:key, 20:transaction;replay:key");
  const all = announced("60::organization");
  for (const now of [0, 30_000, 60_000]) {
    for (let set = 1; set < 2 ** types.length; set++) {
      const own = types.filter((_, at) => set & 2 ** at);
      const bits = categoryBits(items(...own));
      for (const each of [limits, all]) {
        const isLimitedInSpool = (bits & ~each.limitedCategories(DSN, now)) === 0;
        assert.equal(isLimitedInSpool, isLimited(each, own, now), `${own} after ${now} ms`);
      }
    }
  }
  assert.equal(limits.limitedCategories(OTHER, 0), 0);
});
