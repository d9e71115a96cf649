import assert from "node:assert/strict";
import { backoffMs, retryAt } from "./retry_policy.ts";

const NOW = 1_000_000;
const waitMs = (status: number | undefined, retryAfter: string | null = null) => {
  const at = retryAt({ status, retryAfter }, 1, NOW, 0);
  return at && at - NOW;
};

Deno.test("Retry-After longer than the backoff → used, up to the maximum wait", () => {
  assert.equal(waitMs(503, "30"), 30_000);
  assert.equal(waitMs(503, "1"), 2_000);
  assert.equal(waitMs(503, "86400"), 300_000);
  assert.equal(waitMs(503, "Wed, 21 Oct 2026 07:28:00 GMT"), 2_000);
});

Deno.test("consecutive failures → waits double up to the maximum, with jitter", () => {
  assert.deepEqual([1, 2, 3].map((n) => backoffMs(n, 0)), [2_000, 4_000, 8_000]);
  assert.equal(backoffMs(1_000, 0), 300_000);
  assert.equal(backoffMs(1, 1), 1_500);
});
