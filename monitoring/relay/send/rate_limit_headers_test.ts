import assert from "node:assert/strict";
import { rateLimitHeaders } from "./rate_limit_headers.ts";

const NOW = Date.parse("Thu, 01 Jan 2026 00:00:00 GMT");

/** `X-Sentry-Rate-Limits` and `Retry-After` of an ingest, and what is sent instead. */
const CASES: Record<
  string,
  readonly [limits: string | null, after: string | null, limitsSent: string, afterSent: string][]
> = {
  "both headers valid → passed on": [["3:error:key", "1", "3:error:key", "1"]],
  "Retry-After missing → the longest of the limits": [
    ["3:error:key, 60:replay;log:org,7::org", null, "3:error:key, 60:replay;log:org, 7::org", "60"],
  ],
  "no valid limit → one limit on all categories": [null, "", " ", "x:error", ":::"].flatMap(
    (limits) => [[limits, "7", "7::organization", "7"], [limits, null, "60::organization", "60"]],
  ),
  "Retry-After is a date → seconds, at least one": [
    [null, "Thu, 01 Jan 2026 00:01:30 GMT", "90::organization", "90"],
    [null, "Thursday, 01-Jan-26 00:01:30 GMT", "90::organization", "90"],
    [null, "Wed, 31 Dec 2025 00:00:00 GMT", "1::organization", "1"],
  ],
  "Retry-After is invalid → 60 seconds": [
    ...["soon", "-5", "NaN", "Infinity", "1e9", "1.5", "May 2031", "\x01"],
  ].map((after) => [null, after, "60::organization", "60"]),
  "more than an hour → an hour, in both headers": [
    [null, "Fri, 31 Dec 9999 23:59:59 GMT", "3600::organization", "3600"],
    ...["3601", "1000000000000", "9".repeat(400)].flatMap((seconds): typeof CASES[string] => [
      [null, seconds, "3600::organization", "3600"],
      [`${seconds}:error:key`, null, "3600:error:key", "3600"],
    ]),
  ],
  "0 seconds → Retry-After 1, so that clients do not retry in a loop": [
    ["0:error:key", null, "0:error:key", "1"],
    [null, "0", "1::organization", "1"],
  ],
  "limit with an invalid time or category → omitted, never a limit on everything": [[
    "-1:a, NaN:b, Infinity:c, 1e3:d, 0x9:e, :f, 5:<b>:key, 5:g;\x7f;h:k\x01ey:why:n<s",
    null,
    "5:g;h::why",
    "5",
  ]],
};
for (const [title, cases] of Object.entries(CASES)) {
  Deno.test(title, () => {
    for (const [limits, after, limitsSent, afterSent] of cases) {
      const get = (name: string) => name === "retry-after" ? after : limits;
      assert.deepEqual(rateLimitHeaders({ get }, NOW), {
        "x-sentry-rate-limits": limitsSent,
        "retry-after": afterSent,
      });
    }
  });
}
