import assert from "node:assert/strict";
import { hasWholeBody } from "./whole_body.ts";

/** A server of the runtime that answers what it knew of each body before it read it. */
function startServer() {
  const asked = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const whole = hasWholeBody(request);
    asked.resolve();
    return Response.json({
      whole,
      bytes: (await request.bytes()).length,
      again: hasWholeBody(request),
    });
  });
  return {
    port: server.addr.port,
    asked: asked.promise,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Sends parts of a request, the second once the handler has been asked, and reads the answer. */
async function send({ port, asked }: { port: number; asked: Promise<void> }, ...parts: string[]) {
  using connection = await Deno.connect({ port });
  for (const [at, part] of parts.entries()) {
    if (at > 0) await asked;
    await connection.write(new TextEncoder().encode(part));
  }
  const answer = await new Response(connection.readable).text();
  return JSON.parse(answer.slice(answer.indexOf("\r\n\r\n")));
}

const head = (length: number) =>
  `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;

Deno.test("a body that came with its head is whole, once", async () => {
  await using server = startServer();
  assert.deepEqual(await send(server, head(5) + "whole"), {
    whole: true,
    bytes: 5,
    again: false,
  });
});

Deno.test("one of which a part is still to come is not", async () => {
  await using server = startServer();
  const answer = await send(server, head(10) + "half ", "whole");
  assert.deepEqual(answer, { whole: false, bytes: 10, again: false });
});

Deno.test("neither is one that no connection brought", async () => {
  const request = new Request("http://relay.invalid/", { method: "POST", body: "text" });
  assert.equal(hasWholeBody(request), false);
  assert.equal(await request.text(), "text");
  assert.equal(hasWholeBody(new Request("http://relay.invalid/", { method: "POST" })), false);
});
