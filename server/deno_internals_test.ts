import assert from "node:assert/strict";
import {
  connectionServer,
  type ServedConnection,
  VERIFIED_DENO_VERSION,
} from "./deno_internals.ts";

Deno.test("another version of Deno → verify each function again, then set the version", () => {
  assert.match(Deno.version.deno, VERIFIED_DENO_VERSION);
});

/** Both ends of a connection, of which the server's is served. */
async function connected(): Promise<{ client: Deno.TcpConn; served: ServedConnection }> {
  const serveConnection = connectionServer();
  assert.ok(serveConnection);
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connecting = Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  const served = serveConnection(
    await listener.accept(),
    () => new Response("no", { status: 403 }),
    () => new Response(null, { status: 500 }),
  );
  return { client: await connecting, served };
}

Deno.test("verified version of Deno → internal function; another → none", () => {
  // If this fails with a new version, also run tests/server/connections_test.ts.
  assert.ok(connectionServer(), Deno.version.deno);
  for (const version of ["2.8.3", "2.10.0", "3.0.0"]) {
    assert.equal(connectionServer(version), undefined, version);
  }
});

Deno.test("request answered before its body has arrived, abort → connection closed", async () => {
  const { client, served } = await connected();
  using _client = client;
  const request = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{";
  await client.write(new TextEncoder().encode(request));
  const buffer = new Uint8Array(1024);
  const answer = new TextDecoder().decode(buffer.subarray(0, await client.read(buffer) ?? 0));
  assert.match(answer, /^HTTP\/1\.1 403 /);
  served.abort();
  await served.finished;
});

Deno.test("abort of a closed connection → nothing happens", async () => {
  const { client, served } = await connected();
  client.close();
  await served.finished;
  served.abort();
});
