import assert from "node:assert/strict";
import type { DataCategory } from "@sentry/core/browser";
import {
  createSharedRateLimits,
  limitedUntil,
  LIMITS_KEY,
  probeAt,
  type SharedRateLimits,
} from "./rate_limits.ts";

const NOW = 1_000_000_000_000;
const HOUR = 3_600_000;

interface Response {
  readonly status?: number;
  readonly retryAfter?: string;
  readonly rateLimits?: string;
  readonly categories?: readonly DataCategory[];
  readonly startedAt?: number;
  readonly now?: number;
}

/** Updates the limits; by default from a 429 to a request that took no time. */
function update(limits: SharedRateLimits, response: Response = {}): number {
  const { status = 429, categories = ["error"], now = NOW, startedAt = now } = response;
  const { retryAfter = null, rateLimits = null } = response;
  const result = { status, retryAfter, rateLimits, sentBytes: 1 };
  return limits.update(result, categories, startedAt, now, 0);
}

/** Milliseconds for numbers, which both headers may have, and for dates, which only Retry-After may have. */
const NUMBERS: readonly (readonly [text: string, ms: number])[] = [
  ["1", 1_000],
  ["1e99", 1_000],
  ["0", 1_000],
  ["-5", 1_000],
  ["90", 90_000],
  ["86400", HOUR],
  ["9".repeat(400), HOUR],
  ["soon", 60_000],
];
const DATES = [[90_000, 90_000], [-90_000, 1_000], [86_400_000, HOUR]] as const;

Deno.test("limit of any number or date → at least a second, at most an hour", () => {
  const waitMs = (response: Response) => {
    const limits = createSharedRateLimits(undefined);
    assert.ok(update(limits, response) > NOW, "sent again");
    return limitedUntil(limits.read(NOW), ["error"]) - NOW;
  };
  for (const [text, ms] of NUMBERS) {
    assert.equal(waitMs({ retryAfter: text }), ms, text);
    assert.equal(waitMs({ rateLimits: `${text}:error:key` }), ms, text);
  }
  for (const [inMs, ms] of DATES) {
    assert.equal(waitMs({ retryAfter: new Date(NOW + inMs).toUTCString() }), ms, `${inMs}`);
  }
});

Deno.test("consecutive 429s → waits double up to five minutes, or as long as announced", () => {
  const limits = createSharedRateLimits(undefined);
  let now = NOW;
  const waitMs = (retryAfter: string) => {
    const at = update(limits, { retryAfter, now });
    const wait = at - now;
    now = at;
    return wait;
  };
  assert.deepEqual(["1", "1", "1"].map(waitMs), [2_000, 4_000, 8_000]);
  assert.equal(waitMs("900"), 900_000);
  for (let n = 0; n < 10; n++) waitMs("1");
  assert.equal(waitMs("1"), 300_000);
});

Deno.test("429 to a request that was under way → the wait does not grow", () => {
  const limits = createSharedRateLimits(undefined);
  assert.equal(update(limits, { retryAfter: "1" }), NOW + 2_000);
  assert.equal(update(limits, { retryAfter: "1", startedAt: NOW - 1 }), NOW + 2_000);
});

Deno.test("probe accepted → no limit; request that was under way → limit remains", () => {
  const limits = createSharedRateLimits(undefined);
  update(limits, { retryAfter: "1" });
  update(limits, { status: 200, startedAt: NOW - 1, now: NOW + 3_000 });
  assert.equal(probeAt(limits.read(NOW), ["error"]), NOW + 2_000);
  update(limits, { status: 200, now: NOW + 3_000 });
  assert.equal(probeAt(limits.read(NOW), ["error"]), 0);
  assert.equal(update(limits, { retryAfter: "1", now: NOW + 3_000 }), NOW + 5_000);
});

Deno.test("other categories are accepted → the limit and its waits remain", () => {
  const limits = createSharedRateLimits(undefined);
  update(limits, { rateLimits: "1:error:key" });
  update(limits, { status: 200, categories: ["replay"], now: NOW + 3_000 });
  assert.equal(update(limits, { rateLimits: "1:error:key", now: NOW + 3_000 }), NOW + 7_000);
});

Deno.test("429 → sent again only if a limit covers all of its categories", () => {
  const rateLimits = "60:error:key";
  const categories: DataCategory[] = ["error", "attachment"];
  const limits = createSharedRateLimits(undefined);
  // The attachment may have been accepted.
  assert.equal(update(limits, { rateLimits, categories }), 0);
  // Others like it wait, because it was refused.
  assert.equal(probeAt(limits.read(NOW), categories), NOW + 2_000);
  assert.equal(probeAt(limits.read(NOW), ["error"]), NOW + 60_000);
  assert.equal(probeAt(limits.read(NOW), ["replay"]), 0);
});

Deno.test("limit for all after one for a category → the longer one holds", () => {
  const limits = createSharedRateLimits(undefined);
  update(limits, { status: 200, rateLimits: "1:error:key" });
  update(limits, { status: 200, rateLimits: "60::key" });
  const known = limits.read(NOW);
  assert.equal(limitedUntil(known, ["replay", "error"]), NOW + 60_000);
  assert.equal(limitedUntil({ error: NOW }, ["replay"]), 0);
});

Deno.test("storage full → limits of this tab; not ours, or of a later clock → none", () => {
  sessionStorage.clear();
  const full = createSharedRateLimits({
    getItem: () => null,
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
  } as unknown as Storage);
  assert.equal(update(full, { retryAfter: "60" }), NOW + 60_000);
  assert.equal(limitedUntil(full.read(NOW), ["error"]), NOW + 60_000);

  const shared = createSharedRateLimits(sessionStorage);
  update(shared, { retryAfter: "60" });
  assert.equal(limitedUntil(shared.read(NOW - 2 * HOUR), ["error"]), 0);
  for (const text of ["", "null", "[]", '"x"', '{"all":"x","nextProbe":{}}']) {
    sessionStorage.setItem(LIMITS_KEY, text);
    assert.equal(probeAt(shared.read(NOW), ["error"]), 0, text);
  }
});
