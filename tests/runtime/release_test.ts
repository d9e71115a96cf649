/** Page and server report the same release and environment. Source maps: tests/sourcemaps/upload_test.ts. */
import assert from "node:assert/strict";
import { readManifest } from "../../server/manifest.ts";
import { fetchToEnd, startReportingServer } from "./_reporting_server.ts";

const { buildId } = await readManifest(new URL("../../.build/", import.meta.url));

const CASES: Record<string, [env: Record<string, string>, release: string, environment: string]> = {
  "the variables": [
    { SENTRY_RELEASE: "glass@1.2.3", SENTRY_ENVIRONMENT: "staging", SIGHTGLASS_COMMIT: "c0ffee" },
    "glass@1.2.3",
    "staging",
  ],
  "the commit": [{ SIGHTGLASS_COMMIT: "c0ffee" }, "c0ffee", "development"],
  "the build, without a commit": [{}, buildId, "development"],
};
for (const [name, [env, release, environment]] of Object.entries(CASES)) {
  Deno.test(`release and environment from ${name} → same on page, errors, logs, spans`, async () => {
    await using reporting = await startReportingServer("relay", env);
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
}
