import assert from "node:assert/strict";
import * as http from "node:http";
import { readManifest } from "../../server/manifest.ts";
import { startServer } from "../../tools/server_process.ts";

const BUILD = new URL("../../.build/", import.meta.url);

/** Asks for a path as it is: `fetch` would resolve its dots. */
async function get(
  port: number,
  path: string,
): Promise<{ status: number; headers: http.IncomingHttpHeaders; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  http.get({ host: "127.0.0.1", port, path }, resolve).on("error", reject);
  const response = await promise;
  let text = "";
  for await (const part of response.setEncoding("utf8")) text += part;
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

Deno.test("no address of the server gives a source map", async () => {
  await using server = await startServer();
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

Deno.test("nothing that is served names a source map", async () => {
  await using server = await startServer();
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
