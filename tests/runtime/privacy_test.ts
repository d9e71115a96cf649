import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { fetchToEnd, MODES, startReportingServer } from "./_reporting_server.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

for (const mode of MODES) {
  Deno.test(`${mode} mode: private data in requests → no report contains it, nor host name or local folder`, async () => {
    await using reporting = await startReportingServer(mode, {
      FORWARD_CLIENT_IP: "true",
      TRUSTED_PROXY_HEADER: "x-forwarded-for",
    });
    const { server } = reporting;
    const headers = {
      "x-forwarded-for": "203.0.113.77",
      "forwarded": "for=203.0.113.77",
      cookie: "canarycookie=1",
      authorization: "Bearer canarybearer",
      referer: "http://127.0.0.1/canaryreferer",
      "user-agent": "canaryagent",
    };
    for (const path of ["/?q=canaryquery", "/signal?status=500&q=canaryquery"]) {
      await fetchToEnd(server.origin + path, { headers });
    }
    await fetchToEnd(`${server.origin}/signal?throw=true&q=canaryquery`, { headers });
    const { spans, errors, logs, text } = await reporting.stopAndReadReports();
    assert.deepEqual([spans.length, errors.length, logs.length > 1], [3, 1, true]);
    const canaries = ["canary", "203.0.113.77", "127.0.0.1", "server_name", "server.address"];
    for (const canary of [...canaries, Deno.hostname(), ROOT]) {
      assert.ok(!text.toLowerCase().includes(canary.toLowerCase()), `${canary} is in\n${text}`);
    }
    assert.ok(text.includes('"app:///routes/signal.ts"'), "frames have paths of the project");
    // The server's own envelopes are sent without the caller's address.
    for (const request of reporting.ingest.requests) {
      assert.equal(request.headers["x-forwarded-for"], undefined);
    }
  });
}
