import assert from "node:assert/strict";
import { limitHeaders } from "./limit_headers.ts";

const NOW = Date.parse("Thu, 01 Jan 2026 00:00:00 GMT");
const of = (headers: Record<string, string>) => {
  const result = limitHeaders(new Headers(headers), NOW);
  return [result["x-sentry-rate-limits"], result["retry-after"]];
};

Deno.test("both headers pass as they are", () => {
  assert.deepEqual(of({ "x-sentry-rate-limits": "3:error:key", "retry-after": "1" }), [
    "3:error:key",
    "1",
  ]);
});

Deno.test("a missing Retry-After is the longest of the limits", () => {
  assert.deepEqual(of({ "x-sentry-rate-limits": "3:error:key, 60:replay;log:org,7::org" }), [
    "3:error:key, 60:replay;log:org,7::org",
    "60",
  ]);
});

Deno.test("missing limits are one for all categories", () => {
  assert.deepEqual(of({ "retry-after": "7" }), ["7::organization", "7"]);
  assert.deepEqual(of({}), ["60::organization", "60"]);
});

Deno.test("a Retry-After that is a date becomes seconds, never negative", () => {
  assert.deepEqual(of({ "retry-after": "Thu, 01 Jan 2026 00:01:30 GMT" })[1], "90");
  assert.deepEqual(of({ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" })[1], "0");
});

Deno.test("what is no time is 60 seconds", () => {
  assert.deepEqual(of({ "retry-after": "soon" }), ["60::organization", "60"]);
});

Deno.test("limits that say nothing are made from Retry-After, as if they were missing", () => {
  for (const value of ["", " ", "x:error", ":::"]) {
    const named = of({ "x-sentry-rate-limits": value, "retry-after": "7" });
    assert.deepEqual(named, ["7::organization", "7"]);
    assert.deepEqual(of({ "x-sentry-rate-limits": value }), ["60::organization", "60"]);
  }
});
