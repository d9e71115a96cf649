import assert from "node:assert/strict";
import { startServer } from "../../tools/run/server_process.ts";

Deno.test("LOG_FORMAT=json → each line is one object, what other modules print too", async () => {
  const server = await startServer({ env: { LOG_FORMAT: "json", SOURCE_MAP_ORIGINS: "" } });
  const port = server.port;
  const response = await fetch(`${server.origin}/signal?throw=true`);
  await response.body?.cancel();
  assert.equal(response.status, 500);
  await server.stop();
  const lines = server.output().trim().split("\n").map((line) => JSON.parse(line));
  assert.ok(lines.length >= 4, server.output());
  for (const { time, level, message } of lines) {
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.match(level, /^(debug|info|warn|error)$/);
    assert.equal(typeof message, "string");
  }
  const find = (text: string) => lines.find(({ message }) => message.includes(text));
  assert.equal(find("Listening on").message, `Listening on http://127.0.0.1:${port}/`);
  assert.deepEqual(find("has started").attributes, { mode: "inbox" });
  // An uncaught error of a route, with its stack in the same line.
  assert.match(lines.find(({ level }) => level === "error").message, /\n +at /);
});
