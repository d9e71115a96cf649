/** The server's log about its spool: one line for each change of state. */
import assert from "node:assert/strict";
import { fresh, largeEnvelope } from "../relay/_start_relay.ts";
import { postTo, startRelaying } from "../relaying_server.ts";
import { answers, startStandInIngest, takes } from "../stand_in_ingest.ts";
import { until } from "../until.ts";

Deno.test("outage → ingest down, spool nearly full, ingest up, spool drained: one log line each", async () => {
  await using ingest = startStandInIngest();
  ingest.behave(answers(503));
  await using server = await startRelaying(ingest, { env: { SPOOL_MAX_BYTES: "100000" } });
  const logged = (text: string) =>
    until(`the log has "${text}"`, () => server.output().includes(text));
  const post = async (body: BodyInit) => {
    const response = await postTo(server, body);
    assert.equal(response.status, 202, await response.text());
  };
  for (let n = 0; n < 30; n++) await post(fresh());
  await logged("An ingest is down");
  await post(largeEnvelope(80_000));
  await logged("The spool is nearly full");
  ingest.behave(takes());
  await logged("The spool has drained");

  const lines = server.output().split("\n").filter((line) => /^(info|warn|error): /.test(line))
    .map((line) => line.replace(/ \{.*/, ""));
  assert.deepEqual(lines, [
    "info: The server has started",
    "warn: An ingest is down",
    "warn: The spool is nearly full",
    "info: An ingest is up again",
    "info: The spool has drained after an outage",
  ]);
});
