import assert from "node:assert/strict";
import { sentryIssuesUrl, sentryTraceUrl } from "./sentry_link.ts";

const path = "/orgredirect/organizations/:orgslug/explore/traces/trace/0af7/";

Deno.test("DSN of hosted Sentry → URL of sentry.io that redirects to the user's organization", () => {
  for (const host of ["o1.ingest.sentry.io", "o12.ingest.us.sentry.io"]) {
    assert.equal(sentryTraceUrl(`https://key@${host}/1`, "0af7"), `https://sentry.io${path}`);
  }
});

Deno.test("any other DSN → issues on its host, without the key; no URL of a trace: it may be a relay", () => {
  for (const host of ["http://sentry.lan:9000", "https://o1.ingest.sentry.io.example"]) {
    const dsn = `${host.replace("//", "//key@")}/1`;
    assert.equal(sentryTraceUrl(dsn, "0af7"), undefined);
    assert.equal(sentryIssuesUrl(dsn), `${host}/orgredirect/organizations/:orgslug/issues/`);
  }
});

Deno.test("not a DSN → no URL", () => {
  assert.equal(sentryTraceUrl("javascript:alert(1)", "0af7"), undefined);
  assert.equal(sentryTraceUrl("", "0af7"), undefined);
});
