import assert from "node:assert/strict";
import { type Answer } from "./send_envelope.ts";
import { backOffMs, heldUntil, judge } from "./verdict.ts";

const NOW = 1_000_000;
const judged = (
  answer: Partial<Answer>,
  more: Partial<Parameters<typeof judge>[0]> = {},
) =>
  judge({
    answer: { retryAfter: null, rateLimits: null, ...answer },
    categories: ["error"],
    limits: {},
    failures: 1,
    now: NOW,
    random: 0,
    ...more,
  });

Deno.test("2xx and definite refusals end it", () => {
  for (const status of [200, 202, 400, 403, 404, 413, 415]) {
    assert.deepEqual(judged({ status }), { kind: "ended" }, `${status}`);
  }
});

Deno.test("no answer, 408, 425 and 5xx are tried again", () => {
  for (const status of [undefined, 408, 425, 500, 502, 503]) {
    const again = { kind: "again", notBefore: NOW + 2_000, limited: false };
    assert.deepEqual(judged({ status }), again, `${status}`);
  }
});

Deno.test("a longer Retry-After is waited for, up to the longest wait", () => {
  const notBefore = (retryAfter: string) => {
    const verdict = judged({ status: 503, retryAfter });
    return verdict.kind === "again" ? verdict.notBefore - NOW : 0;
  };
  assert.equal(notBefore("30"), 30_000);
  assert.equal(notBefore("1"), 2_000);
  assert.equal(notBefore("86400"), 300_000);
  assert.equal(notBefore("Wed, 21 Oct 2026 07:28:00 GMT"), 2_000);
});

Deno.test("after a 429 it stays only when all of it is limited", () => {
  const limits = { error: NOW + 5_000 };
  assert.deepEqual(judged({ status: 429 }, { limits }), {
    kind: "again",
    notBefore: NOW + 5_000,
    limited: true,
  });
  // Part of it may have been taken.
  assert.deepEqual(judged({ status: 429 }, { limits, categories: ["error", "attachment"] }), {
    kind: "ended",
  });
});

Deno.test("a limit for all holds every category", () => {
  assert.equal(heldUntil(["replay", "log_item"], { all: NOW + 9 }, NOW), NOW + 9);
  assert.equal(heldUntil(["replay"], { error: NOW + 9 }, NOW), 0);
  assert.equal(heldUntil(["replay"], { all: NOW - 1 }, NOW), 0);
});

Deno.test("waits double up to a bound and are spread", () => {
  assert.deepEqual([1, 2, 3].map((n) => backOffMs(n, 0)), [2_000, 4_000, 8_000]);
  assert.equal(backOffMs(1_000, 0), 300_000);
  assert.equal(backOffMs(1, 1), 1_500);
});
