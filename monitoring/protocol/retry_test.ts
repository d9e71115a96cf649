import assert from "node:assert/strict";
import { isRetryable } from "./retry.ts";

Deno.test("status → retryable unless it is a success, a refusal or a rate limit", () => {
  for (const status of [0, 100, 301, 304, 408, 425, 500, 502, 503, 504, 599]) {
    assert.ok(isRetryable(status), `${status}`);
  }
  for (const status of [200, 202, 204, 400, 401, 403, 404, 413, 415, 429, 499]) {
    assert.ok(!isRetryable(status), `${status}`);
  }
});
