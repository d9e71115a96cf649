import assert from "node:assert/strict";
import { sentryTraceUrl } from "./sentry_link.ts";

const path = "/orgredirect/organizations/:orgslug/explore/traces/trace/0af7/";

Deno.test("DSN of hosted Sentry → URL of sentry.io that redirects to the user's organization", () => {
  for (const host of ["o1.ingest.sentry.io", "o12.ingest.us.sentry.io"]) {
    assert.equal(sentryTraceUrl(`https://key@${host}/1`, "0af7"), `https://sentry.io${path}`);
  }
});

Deno.test("DSN of a self-hosted Sentry → URL on the DSN's host, without the key", () => {
  assert.equal(
    sentryTraceUrl("http://key@sentry.lan:9000/1", "0af7"),
    `http://sentry.lan:9000${path}`,
  );
  assert.equal(
    sentryTraceUrl("https://key@o1.ingest.sentry.io.example/1", "0af7"),
    `https://o1.ingest.sentry.io.example${path}`,
  );
});

Deno.test("not a DSN → no URL", () => {
  assert.equal(sentryTraceUrl("javascript:alert(1)", "0af7"), undefined);
  assert.equal(sentryTraceUrl("", "0af7"), undefined);
});
