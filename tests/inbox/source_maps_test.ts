/** Source maps of other applications: `POST /monitoring/inbox?maps` and `?fetch-map`, to a real server. */
import assert from "node:assert/strict";
import { statusOf } from "../harness/status_of.ts";
import { startInboxServer } from "./_inbox_server.ts";

const ID = "01234567-89ab-4def-8123-456789abcdef";
const MAP = JSON.stringify({ version: 3, debugId: ID, sources: ["a.ts"], mappings: "AAAA" });

async function post(url: string, body: BodyInit, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: "POST", body, headers });
  return { status: response.status, ...await response.json() };
}

Deno.test("POST ?maps → 200, and ?map=ID answers the same bytes until all is deleted", async () => {
  await using server = startInboxServer();
  const { url } = server;
  assert.deepEqual(await post(`${url}?maps`, MAP), {
    status: 200,
    debug_id: ID,
    bytes: MAP.length,
  });
  assert.equal(await (await fetch(`${url}?map=${ID}`)).text(), MAP);
  await statusOf(fetch(url, { method: "DELETE" }));
  assert.equal(await statusOf(fetch(`${url}?map=${ID}`)), 204);
});

Deno.test("POST ?maps by a page of another origin or without access → 403, nothing stored", async () => {
  await using server = startInboxServer();
  const from = (headers: Record<string, string>) => post(`${server.url}?maps`, MAP, headers);
  for (const origin of ["https://evil.example", "null", `http://localhost:${server.port}`]) {
    assert.equal((await from({ Origin: origin })).error, "origin_not_allowed", origin);
  }
  assert.equal((await from({ "Sec-Fetch-Site": "same-site" })).error, "inbox_forbidden");
  assert.equal((await from({ "X-Forwarded-For": "192.0.2.1" })).error, "inbox_forbidden");
  assert.equal(await server.inbox.sourceMap(ID), undefined);

  await using closed = startInboxServer({ token: "open-sesame" });
  const url = `${closed.url}?maps`;
  assert.equal((await post(url, MAP)).error, "inbox_forbidden");
  assert.equal((await post(url, MAP, { Authorization: "Bearer open-sesame" })).status, 200);
});

Deno.test("POST ?fetch-map by another origin's page, or of an origin that is not named → 403", async () => {
  await using server = startInboxServer();
  const url = `${server.url}?fetch-map`;
  const body = JSON.stringify({ script: "http://localhost:5173/a.js" });
  assert.equal(
    (await post(url, body, { Origin: "http://localhost:5173" })).error,
    "origin_not_allowed",
  );
  assert.equal((await post(url, body)).error, "source_map_origin");
  assert.equal((await post(url, "not JSON")).error, "source_map_origin");
});

Deno.test("POST ?maps of what is too large, no map, compressed → 413, 400, 415; GET → 405", async () => {
  await using server = startInboxServer({ maxBytes: 64 * 1024 * 1024 });
  const url = `${server.url}?maps`;
  const tooLarge = await post(url, new Uint8Array(20 * 1024 * 1024 + 1));
  assert.deepEqual([tooLarge.status, tooLarge.error], [413, "source_map_too_large"]);
  const noMap = await post(url, "<html>");
  assert.deepEqual([noMap.status, noMap.error], [400, "source_map_malformed"]);
  const compressed = await post(url, MAP, { "Content-Encoding": "gzip" });
  assert.deepEqual([compressed.status, compressed.error], [415, "encoding_not_supported"]);
  const wrongMethod = await fetch(url);
  await wrongMethod.body?.cancel();
  assert.deepEqual([wrongMethod.status, wrongMethod.headers.get("allow")], [405, "POST"]);

  await using small = startInboxServer({ maxBytes: 100 });
  assert.equal((await post(`${small.url}?maps`, MAP)).error, "source_map_too_large");
});
