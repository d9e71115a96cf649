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

/** The header of a 200, and for how many milliseconds it limits envelopes with these items; 0: not at all. */
const ANNOUNCED: readonly [header: string, types: string, limitedMs: number][] = [
  ["60:error;transaction:organization:quota", "event transaction", 60_000],
  ["60:replay:project", "replay_event replay_recording", 60_000],
  ["5:error:organization, 60:error:key", "event", 60_000],
  [" 2.5 : error : key : why : custom : more , 60:span:key", "event", 2_500],
  [" 2.5 : error : key : why : custom : more , 60:span:key", "span", 60_000],
  ["60:tea;coffee:key", "event", 0],
  ["60:metric_bucket:key:quota:custom", "statsd", 60_000],
];
for (const [header, types, limitedMs] of ANNOUNCED) {
  Deno.test(`${header} → ${types} limited for ${limitedMs} ms`, () => {
    const limits = announced(header, 200);
    const isLimitedAfter = (ms: number) => isLimited(limits, types.split(" "), ms);
    assert.equal(isLimitedAfter(limitedMs), false);
    if (limitedMs > 0) assert.equal(isLimitedAfter(limitedMs - 1), true);
    assert.equal(isLimited(limits, types.split(" "), 0, OTHER), false);
  });
}

Deno.test("limit of another server → applies, and is not reported again", () => {
  const limits = announced("60:error:key");
  const [own] = limits.unshared(1_000);
  const limit = { dsn: DSN, category: "error", until: 60_000, rest: "key", isShared: false };
  assert.deepEqual(own, limit);
  own!.isShared = true;
  const of = (category: string) => ({ dsn: OTHER, category, endsInMs: 0, rest: "" });
  limits.learn(of("transaction"), 30_000, 1_000);
  limits.learn(of("unknown"), 30_000, 1_000);
  assert.ok(isLimited(limits, ["transaction"], 29_999, OTHER));
  assert.deepEqual(limits.unshared(1_000), []);
  limits.learn(of(""), 1e12, 1_000);
  assert.ok(isLimited(limits, ["anything"], 3_600_999, OTHER));
  assert.ok(!isLimited(limits, ["anything"], 3_601_000, OTHER), "an hour at most");
});

Deno.test("check → headers with the limits that apply and the seconds left", () => {
  const limits = announced("60:error:organization:quota, 20:span:key");
  assert.deepEqual(limits.check(DSN, items("event", "span", "event"), 10_001), {
    "x-sentry-rate-limits": "50:error:organization:quota, 10:span:key",
    // From then on the spans may go, and with them the envelope.
    "retry-after": "10",
  });
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
