import assert from "node:assert/strict";
import { rateLimitHeaders } from "./rate_limit_headers.ts";

const NOW = Date.parse("Thu, 01 Jan 2026 00:00:00 GMT");
const of = (headers: Record<string, string>) => {
  const result = rateLimitHeaders(new Headers(headers), NOW);
  return [result["x-sentry-rate-limits"], result["retry-after"]];
};

Deno.test("both headers valid → passed on", () => {
  assert.deepEqual(of({ "x-sentry-rate-limits": "3:error:key", "retry-after": "1" }), [
    "3:error:key",
    "1",
  ]);
});

Deno.test("Retry-After missing → the longest of the limits", () => {
  assert.deepEqual(of({ "x-sentry-rate-limits": "3:error:key, 60:replay;log:org,7::org" }), [
    "3:error:key, 60:replay;log:org, 7::org",
    "60",
  ]);
});

Deno.test("limits missing → one limit on all categories", () => {
  assert.deepEqual(of({ "retry-after": "7" }), ["7::organization", "7"]);
  assert.deepEqual(of({}), ["60::organization", "60"]);
});

Deno.test("Retry-After is a date → seconds, at least one", () => {
  assert.deepEqual(of({ "retry-after": "Thu, 01 Jan 2026 00:01:30 GMT" })[1], "90");
  assert.deepEqual(of({ "retry-after": "Thursday, 01-Jan-26 00:01:30 GMT" })[1], "90");
  assert.deepEqual(of({ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" })[1], "1");
});

Deno.test("Retry-After is invalid → 60 seconds", () => {
  for (const after of ["soon", "-5", "NaN", "Infinity", "1e9", "1.5", "May 2031", "\x01"]) {
    const reader = { get: (name: string) => name === "retry-after" ? after : null };
    assert.equal(rateLimitHeaders(reader, NOW)["retry-after"], "60", after);
  }
});

Deno.test("more than an hour → an hour, in both headers", () => {
  for (const seconds of ["3601", "1000000000000", "9".repeat(400)]) {
    const limits = `${seconds}:error:key`;
    assert.deepEqual(of({ "retry-after": seconds }), ["3600::organization", "3600"]);
    assert.deepEqual(of({ "x-sentry-rate-limits": limits }), ["3600:error:key", "3600"]);
  }
  assert.equal(of({ "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" })[1], "3600");
});

Deno.test("0 seconds → Retry-After 1, so that clients do not retry in a loop", () => {
  assert.deepEqual(of({ "x-sentry-rate-limits": "0:error:key" }), ["0:error:key", "1"]);
  assert.deepEqual(of({ "retry-after": "0" }), ["1::organization", "1"]);
});

Deno.test("limit with an invalid time or category → omitted, never a limit on everything", () => {
  const limits = "-1:a, NaN:b, Infinity:c, 1e3:d, 0x9:e, :f, 5:<b>:key, 5:g;\x7f;h:k\x01ey:why:n<s";
  const reader = { get: (name: string) => name === "x-sentry-rate-limits" ? limits : null };
  assert.equal(rateLimitHeaders(reader, NOW)["x-sentry-rate-limits"], "5:g;h::why");
});

Deno.test("no valid limit in the header → derived from Retry-After", () => {
  for (const value of ["", " ", "x:error", ":::"]) {
    const named = of({ "x-sentry-rate-limits": value, "retry-after": "7" });
    assert.deepEqual(named, ["7::organization", "7"]);
    assert.deepEqual(of({ "x-sentry-rate-limits": value }), ["60::organization", "60"]);
  }
});
