import assert from "node:assert/strict";
import { runtimeServeConnection, type ServedConnection } from "./connection_server.ts";

/** Both ends of a connection, of which the server's is served. */
async function connected(): Promise<{ client: Deno.TcpConn; served: ServedConnection }> {
  const serveConnection = runtimeServeConnection();
  assert.ok(serveConnection, "this runtime serves connections one by one");
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connecting = Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  const served = serveConnection(
    await listener.accept(),
    () => new Response("no", { status: 403 }),
    () => new Response(null, { status: 500 }),
  );
  return { client: await connecting, served };
}

Deno.test("a connection whose request was answered before its body came is broken off", async () => {
  const { client, served } = await connected();
  using _client = client;
  const request = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{";
  await client.write(new TextEncoder().encode(request));
  const buffer = new Uint8Array(1024);
  const answer = new TextDecoder().decode(buffer.subarray(0, await client.read(buffer) ?? 0));
  assert.match(answer, /^HTTP\/1\.1 403 /);
  served.breakOff();
  await served.finished;
});

Deno.test("breaking off a connection that is closed already harms nobody", async () => {
  const { client, served } = await connected();
  client.close();
  await served.finished;
  served.breakOff();
});
