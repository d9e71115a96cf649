import assert from "node:assert/strict";
import { startStandInIngest } from "../harness/stand_in_ingest.ts";
import { expectError, expectTaken } from "./_expect.ts";
import { DSN, envelope, fresh, startRelay } from "./_start_relay.ts";

const bytes = envelope({ event_id: "e1", dsn: DSN });

Deno.test("row 'page of another origin' → 403 origin_not_allowed", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({
    upstream: ingest.origin,
    publicOrigin: "https://console.example",
    allowedOrigins: ["https://shop.example"],
  });
  const [, port] = server.host.split(":");
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

Deno.test("own host, PUBLIC_ORIGIN, requests without browser headers → delivered", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({
    upstream: ingest.origin,
    publicOrigin: "https://console.example",
  });
  for (
    const headers of [
      {},
      { origin: server.origin },
      { origin: `https://${server.host}` },
      { origin: "https://console.example" },
      { origin: server.origin, "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
    ] as Record<string, string>[]
  ) {
    const response = await server.post(fresh(), headers);
    assert.equal(response.headers.get("access-control-allow-origin"), null);
    await expectTaken(response, "delivered", { id: "e1" });
  }
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

Deno.test("preflight → one hour for ALLOWED_ORIGINS, 403 for others", async () => {
  await using server = startRelay({ allowedOrigins: ["https://shop.example"] });
  const preflight = (origin: string) =>
    fetch(`${server.origin}/monitoring`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
  const allowed = await preflight("https://shop.example");
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers.get("access-control-allow-origin"), "https://shop.example");
  assert.equal(allowed.headers.get("access-control-allow-methods"), "POST");
  assert.equal(allowed.headers.get("access-control-max-age"), "3600");
  const names = allowed.headers.get("access-control-allow-headers") ?? "";
  for (const name of ["x-sentry-auth", "content-type", "content-encoding"]) {
    assert.ok(names.includes(name), name);
  }
  const refused = await preflight("https://evil.example");
  assert.equal(refused.status, 403);
  assert.equal(refused.headers.get("access-control-allow-origin"), null);
  assert.equal((await refused.json()).error, "origin_not_allowed");
  assert.equal((await server.health()).outcomes.rejected, 0);
});
