import assert from "node:assert/strict";
import * as http from "node:http";
import { readManifest } from "../../server/manifest.ts";
import { startServer } from "../harness/server_process.ts";

const BUILD = new URL("../../.build/", import.meta.url);

/** Sends the path unchanged: `fetch` would resolve its dots. */
async function get(
  port: number,
  path: string,
  headers: http.OutgoingHttpHeaders = {},
): Promise<{ status: number; headers: http.IncomingHttpHeaders; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  http.get({ host: "127.0.0.1", port, path, headers }, resolve).on("error", reject);
  const response = await promise;
  let text = "";
  for await (const part of response.setEncoding("utf8")) text += part;
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

/** For tests that only read. */
const server = await startServer();

Deno.test.afterAll(async () => void await server.stop());

Deno.test("source map requested at any path → 404", async () => {
  const maps = Array.from(Deno.readDirSync(new URL("maps/", BUILD)), ({ name }) => name);
  assert.ok(maps.length >= 10, `${maps.length}`);
  for (const map of maps) {
    const places = [
      `/assets/${map}`,
      `/maps/${map}`,
      `/.build/maps/${map}`,
      `/assets/../maps/${map}`,
      `/assets/%2e%2e/maps/${map}`,
      `/assets/..%2fmaps%2f${map}`,
      `/assets/../../.build/maps/${map}`,
    ];
    for (const path of places) {
      const { status, text } = await get(server.port, path);
      assert.equal(status, 404, path);
      assert.ok(!text.includes('"mappings"'), path);
    }
  }
});

Deno.test("served pages, assets, static files → none names a source map", async () => {
  const { assets, statics } = await readManifest(BUILD);
  const paths = [
    "/",
    ...Object.keys(assets).map((name) => `/assets/${name}`),
    ...Object.keys(statics),
  ];
  for (const path of paths) {
    const { status, headers, text } = await get(server.port, path);
    assert.equal(status, 200, path);
    assert.doesNotMatch(text, /sourceMappingURL|\.js\.map/, path);
    assert.equal(headers.sourcemap ?? headers["x-sourcemap"], undefined, path);
  }
});

Deno.test("source map by debug id → only for readers of the inbox, never in relay mode", async () => {
  const { assets } = await readManifest(BUILD);
  const debugIds = Object.values(assets).flatMap(({ debugId }) => debugId ?? []).slice(0, 3);
  assert.equal(debugIds.length, 3);
  await using relay = await startServer({
    env: { SENTRY_DSN: "https://key@o1.ingest.sentry.io/1", INBOX_TOKEN: "a-token-of-a-server" },
  });
  for (const debugId of debugIds) {
    const path = `/monitoring/inbox?map=${debugId}`;
    const allowed = await get(server.port, path);
    assert.equal(allowed.status, 200, path);
    assert.ok(allowed.text.includes('"mappings"'), path);
    assert.equal(allowed.headers["cache-control"], "no-store");
    assert.equal(allowed.headers["access-control-allow-origin"], undefined);

    const foreign = [
      { "Sec-Fetch-Site": "cross-site" },
      { "Sec-Fetch-Site": "same-site" },
      { Host: "page.example" },
      { "X-Forwarded-For": "192.0.2.1" },
      { Authorization: "Bearer guess", "X-Forwarded-For": "192.0.2.1" },
    ];
    for (const headers of foreign) {
      const { status, text } = await get(server.port, path, headers);
      assert.equal(status, 403, JSON.stringify(headers));
      assert.ok(!text.includes('"mappings"'));
    }
    const relayed = await get(relay.port, path, { Authorization: "Bearer a-token-of-a-server" });
    assert.equal(relayed.status, 404);
    assert.ok(!relayed.text.includes('"mappings"'));
  }
});
