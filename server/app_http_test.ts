import { Fixture } from "./testdata/fixture.ts";
import assert from "node:assert/strict";

const fixture = await Fixture.build();
const app = await fixture.app();

Deno.test.afterAll(() => fixture[Symbol.asyncDispose]());

Deno.test("over real HTTP → lengths, encodings, HEAD and 304 as the handler set them", async () => {
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handler);
  const { port } = server.addr;

  const page = await raw(port, "GET / HTTP/1.1", "Accept-Encoding: br");
  assert.match(page.head, /^HTTP\/1\.1 200 OK/);
  assert.match(page.head, /content-encoding: br/i);
  assert.equal(page.body.length, Number(/content-length: (\d+)/i.exec(page.head)?.[1]));
  const etag = /etag: (\S+)/i.exec(page.head)?.[1] ?? "";

  // Twice, because the prepared body is shared by all responses.
  for (let round = 0; round < 2; round++) {
    const again = await raw(port, "GET / HTTP/1.1", "Accept-Encoding: br");
    assert.deepEqual(again.body, page.body);
  }
  const known = await raw(port, "GET / HTTP/1.1", "Accept-Encoding: br", `If-None-Match: ${etag}`);
  assert.match(known.head, /^HTTP\/1\.1 304/);
  assert.equal(known.body.length, 0);

  const head = await raw(port, "HEAD / HTTP/1.1", "Accept-Encoding: br");
  assert.equal(/content-length: (\d+)/i.exec(head.head)?.[1], String(page.body.length));
  assert.equal(head.body.length, 0);

  const echoed = await raw(port, "GET /api/echo HTTP/1.1");
  const echoHead = await raw(port, "HEAD /api/echo HTTP/1.1");
  assert.equal(/content-length: (\d+)/i.exec(echoHead.head)?.[1], String(echoed.body.length));
  assert.equal(echoHead.body.length, 0);

  const missing = await raw(port, "GET /../../etc/passwd HTTP/1.1");
  assert.match(missing.head, /^HTTP\/1\.1 404/);
  // This handler parses the URL, which fails with an invalid host.
  const invalidHost = await raw(port, "GET /api/echo HTTP/1.1", "Host: a b");
  assert.match(invalidHost.head, /^HTTP\/1\.1 400/);

  const echo = await fetch(`http://127.0.0.1:${port}/api/echo`);
  assert.equal((await echo.json()).peer, "127.0.0.1");
});

Deno.test("request refused with an unread body → the connection stays open", async () => {
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handler);
  const refused = [["POST", "/", 405], ["PUT", "/api/echo", 405], [
    "POST",
    "/nowhere",
    404,
  ]] as const;
  const body = "x".repeat(60_000);
  for (const [method, path, status] of refused) {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
    const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}`;
    await writeAll(connection, `${head}\r\n\r\n${body}`);
    await writeAll(
      connection,
      "GET /note.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    );
    const answers = await new Response(connection.readable).text();
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
    assert.deepEqual(statuses, [status, 200], `${method} ${path}`);
  }
});

async function writeAll(connection: Deno.Conn, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

interface RawAnswer {
  readonly head: string;
  readonly body: Uint8Array;
}

/** Sends a request exactly as written on a new connection: `fetch` would normalise the path and decode the body. */
async function raw(port: number, ...lines: string[]): Promise<RawAnswer> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const host = lines.some((line) => line.startsWith("Host:")) ? [] : ["Host: localhost"];
  const request = [...lines, ...host, "Connection: close", "", ""].join("\r\n");
  await connection.write(new TextEncoder().encode(request));
  const bytes = await new Response(connection.readable).bytes();
  const text = new TextDecoder("latin1").decode(bytes);
  const end = text.indexOf("\r\n\r\n");
  return { head: text.slice(0, end), body: bytes.slice(end + 4) };
}
