import assert from "node:assert/strict";
import type { DataCategory, RateLimits } from "@sentry/core/browser";
import { backoffMs, limitedUntil, planRetry } from "./retry_policy.ts";
import type { SendResult } from "./send_envelope.ts";

const NOW = 1_000_000;
const plan = (
  result: Partial<SendResult>,
  limits: RateLimits = {},
  categories: DataCategory[] = ["error"],
) =>
  planRetry(
    { retryAfter: null, rateLimits: null, sentBytes: 1, ...result },
    { categories, failures: 1 },
    { limits, now: NOW, random: 0 },
  );

Deno.test("2xx or final refusal → not sent again", () => {
  for (const status of [200, 202, 400, 403, 404, 413, 415]) {
    assert.equal(plan({ status }), undefined, `${status}`);
  }
});

Deno.test("no response, 408, 425 or 5xx → sent again", () => {
  for (const status of [undefined, 408, 425, 500, 502, 503]) {
    const retry = { at: NOW + 2_000, isRateLimited: false };
    assert.deepEqual(plan({ status }), retry, `${status}`);
  }
});

Deno.test("Retry-After longer than the backoff → used, up to the maximum wait", () => {
  const waitMs = (retryAfter: string) => plan({ status: 503, retryAfter })!.at - NOW;
  assert.equal(waitMs("30"), 30_000);
  assert.equal(waitMs("1"), 2_000);
  assert.equal(waitMs("86400"), 300_000);
  assert.equal(waitMs("Wed, 21 Oct 2026 07:28:00 GMT"), 2_000);
});

Deno.test("429 → sent again only if a rate limit covers all of its categories", () => {
  const limits = { error: NOW + 5_000 };
  assert.deepEqual(plan({ status: 429 }, limits), { at: NOW + 5_000, isRateLimited: true });
  // The attachment may have been accepted.
  assert.equal(plan({ status: 429 }, limits, ["error", "attachment"]), undefined);
});

Deno.test("rate limit for all → covers every category", () => {
  assert.equal(limitedUntil(["replay", "log_item"], { all: NOW + 9 }, NOW), NOW + 9);
  assert.equal(limitedUntil(["replay"], { error: NOW + 9 }, NOW), 0);
  assert.equal(limitedUntil(["replay"], { all: NOW - 1 }, NOW), 0);
});

Deno.test("consecutive failures → waits double up to the maximum, with jitter", () => {
  assert.deepEqual([1, 2, 3].map((n) => backoffMs(n, 0)), [2_000, 4_000, 8_000]);
  assert.equal(backoffMs(1_000, 0), 300_000);
  assert.equal(backoffMs(1, 1), 1_500);
});
