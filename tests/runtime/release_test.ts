/** Page and server report the same release and environment. Source maps: tests/sourcemaps/upload_test.ts. */
import assert from "node:assert/strict";
import { fetchToEnd, startReportingServer } from "./_reporting_server.ts";

Deno.test("release and environment from the variables → same on page, errors, logs, spans", async () => {
  const [release, environment] = ["glass@1.2.3", "staging"];
  await using reporting = await startReportingServer("relay", {
    SENTRY_RELEASE: release,
    SENTRY_ENVIRONMENT: environment,
  });
  const { server } = reporting;
  const page = await (await fetch(server.origin)).text();
  const client = JSON.parse(/<script[^>]* id="client">(.*?)<\/script>/.exec(page)?.[1] ?? "{}");
  assert.deepEqual([client.release, client.environment], [release, environment]);

  await fetchToEnd(`${server.origin}/signal?throw=true`);
  const { errors, logs, spans } = await reporting.stopAndReadReports();
  assert.ok(errors.length > 0 && logs.length > 0 && spans.length > 0);
  for (const error of errors) {
    assert.deepEqual([error.release, error.environment], [release, environment]);
  }
  for (const { attributes } of [...logs, ...spans]) {
    assert.equal(attributes["sentry.release"]?.value, release);
    assert.equal(attributes["sentry.environment"]?.value, environment);
  }
});
