/** The server's log about its spool: one line for each change of state. */
import assert from "node:assert/strict";
import { fresh, largeEnvelope } from "../relay/_start_relay.ts";
import { postTo, startRelaying } from "../harness/relaying_server.ts";
import { answers, startStandInIngest, takes } from "../harness/stand_in_ingest.ts";
import { until } from "../harness/until.ts";

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

Deno.test("disk full while the ingest is down → one log line, however many envelopes are refused", async () => {
  await using ingest = startStandInIngest();
  ingest.behave(answers(503));
  await using server = await startRelaying(ingest, {
    // Files of at most 20 MiB (in blocks of 512 bytes), 16 of which are the reserve.
    before: "trap '' XFSZ; ulimit -f 40960",
  });
  const post = async () => {
    const response = await postTo(server, largeEnvelope(1_000_000));
    await response.body?.cancel();
    return response.status;
  };
  await until("the disk is full", async () => await post() === 503);
  for (let n = 0; n < 3; n++) assert.equal(await post(), 503);
  assert.equal(server.output().match(/error: The spool cannot store envelopes/g)?.length, 1);
  assert.doesNotMatch(server.output(), /The spool fails/);
});
