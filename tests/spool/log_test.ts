/** What the server says of its spool: a line when something changes, none for an envelope. */
import assert from "node:assert/strict";
import { startServer } from "../../tools/server_process.ts";
import { DSN, fresh, largeEnvelope } from "../relay/_start_relay.ts";
import { answers, startStandInIngest, takes } from "../stand_in_ingest.ts";

Deno.test("the log says that the ingest is down, the spool nearly full, that it drains and that all is well: each once", async () => {
  await using ingest = startStandInIngest();
  ingest.behave(answers(503));
  await using server = await startServer({
    env: { SENTRY_DSN: DSN, RELAY_UPSTREAM: ingest.origin, SPOOL_MAX_BYTES: "100000" },
  });
  const said = async (text: string) => {
    const deadline = Date.now() + 30_000;
    while (!server.output().includes(text)) {
      assert.ok(Date.now() < deadline, `not said: ${text}\n${server.output()}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const post = async (body: BodyInit) => {
    const response = await fetch(`${server.origin}/monitoring`, { method: "POST", body });
    assert.equal(response.status, 202, await response.text());
  };
  for (let n = 0; n < 30; n++) await post(fresh());
  await said("An ingest is down");
  await post(largeEnvelope(80_000));
  await said("The spool is nearly full");
  ingest.behave(takes());
  await said("Nothing waits any more");

  const lines = server.output().split("\n").filter((line) => /^(info|warn|error): /.test(line))
    .map((line) => line.replace(/ \{.*/, ""));
  assert.deepEqual(lines, [
    "info: The server has started",
    "warn: An ingest is down: its envelopes wait in the spool",
    "warn: The spool is nearly full",
    "info: An ingest answers again: the spool drains",
    "info: Nothing waits any more for an ingest that was down",
  ]);
});
