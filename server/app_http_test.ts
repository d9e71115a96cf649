import { Fixture } from "./testdata/fixture.ts";
import assert from "node:assert/strict";
import { sendRaw } from "../tests/inbox/_send_raw.ts";
import { RawClient } from "../tests/relay/_raw_client.ts";

const fixture = await Fixture.build();
const app = await fixture.app();

Deno.test.afterAll(() => fixture[Symbol.asyncDispose]());

Deno.test("over real HTTP → lengths, encodings, HEAD and 304 as the handler set them", async () => {
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handler);
  const { port } = server.addr;
  const br = { "Accept-Encoding": "br" };

  const page = await sendRaw(port, "GET", "/", br);
  assert.equal(page.status, 200);
  assert.equal(page.headers.get("content-encoding"), "br");
  assert.equal(page.headers.get("content-length"), String(page.body.length));

  // Twice, because the prepared body is shared by all responses.
  for (let round = 0; round < 2; round++) {
    assert.deepEqual((await sendRaw(port, "GET", "/", br)).body, page.body);
  }
  const etag = page.headers.get("etag") ?? "";
  const known = await sendRaw(port, "GET", "/", { ...br, "If-None-Match": etag });
  assert.deepEqual([known.status, known.body.length], [304, 0]);

  const head = await sendRaw(port, "HEAD", "/", br);
  assert.equal(head.headers.get("content-length"), String(page.body.length));
  assert.equal(head.body.length, 0);

  const echoed = await sendRaw(port, "GET", "/api/echo");
  assert.equal(JSON.parse(echoed.text).peer, "127.0.0.1");
  const echoHead = await sendRaw(port, "HEAD", "/api/echo");
  assert.equal(echoHead.headers.get("content-length"), String(echoed.body.length));
  assert.equal(echoHead.body.length, 0);

  assert.equal((await sendRaw(port, "GET", "/../../etc/passwd")).status, 404);
  // This handler parses the URL, which fails with an invalid host.
  assert.equal((await sendRaw(port, "GET", "/api/echo", { Host: "a b" })).status, 400);
});

Deno.test("request refused with an unread body → the connection stays open", async () => {
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handler);
  const body = "x".repeat(60_000);
  const refused = [["POST", "/", 405], ["PUT", "/api/echo", 405], ["POST", "/no", 404]] as const;
  for (const [method, path, status] of refused) {
    using client = await RawClient.connect(`127.0.0.1:${server.addr.port}`);
    const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}`;
    await client.send(`${head}\r\n\r\n${body}`);
    await client.send("GET /note.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const answers = await client.rest();
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
    assert.deepEqual(statuses, [status, 200], `${method} ${path}`);
  }
});
