import assert from "node:assert/strict";
import { startStandInIngest } from "../harness/stand_in_ingest.ts";
import { expectError } from "./_expect.ts";
import { DSN, envelope, startRelay } from "./_start_relay.ts";

const bytes = envelope({ event_id: "e1", dsn: DSN });

Deno.test("row 'page of another origin' → 403 origin_not_allowed", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({
    upstream: ingest.origin,
    publicOrigin: "https://console.example",
    allowedOrigins: ["https://shop.example"],
  });
  const { port } = server;
  for (
    const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: "" },
      { origin: `http://${server.host}.evil.example` },
      { origin: `http://localhost:${port}` },
      { origin: `http://127.0.0.1:${Number(port) + 1}` },
      { origin: "http://127.0.0.1" },
      { origin: `ftp://${server.host}` },
      { origin: `chrome-extension://${server.host}` },
      { origin: "http://console.example" },
      { origin: "https://console.example.evil.example" },
      { origin: "https://shop.example:8443" },
      { origin: "https://shop.example, https://evil.example" },
      { origin: "https://evil.example", "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "" },
    ] as Record<string, string>[]
  ) {
    const response = await server.post(bytes, headers);
    assert.equal(response.headers.get("access-control-allow-origin"), null);
    await expectError(response, 403, "origin_not_allowed");
    await expectError(await server.post("{}", headers), 403, "origin_not_allowed");
  }
  assert.equal(ingest.requests.length, 0);
});

Deno.test("page of ALLOWED_ORIGINS → may read answers and errors (CORS)", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({
    upstream: ingest.origin,
    allowedOrigins: ["https://shop.example"],
  });
  const headers = { origin: "https://shop.example", "sec-fetch-site": "cross-site" };
  for (const body of [bytes, "{}", "broken"]) {
    const response = await server.post(body, headers);
    assert.equal(response.headers.get("access-control-allow-origin"), "https://shop.example");
    assert.equal(response.headers.get("access-control-allow-credentials"), null);
    assert.equal(response.headers.get("vary"), "origin");
    assert.match(
      response.headers.get("access-control-expose-headers") ?? "",
      /x-sentry-rate-limits/,
    );
    await response.body?.cancel();
  }
});
