/** The real server with one fault: of its disk, spool file, ingest or name server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ServerProcess } from "../harness/server_process.ts";
import { expectError } from "../relay/_expect.ts";
import { fresh, largeEnvelope } from "../relay/_start_relay.ts";
import { postTo, startRelaying } from "../harness/relaying_server.ts";
import { answers, startStandInIngest, takes } from "../harness/stand_in_ingest.ts";
import { healthOf, untilDrained } from "../harness/server_health.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

/** Limits files to 24 MiB (in blocks of 512 bytes). Ignoring SIGXFSZ makes writes fail as on a full disk. */
const SMALL_FILES = "trap '' XFSZ; ulimit -f 49152";
const LARGE = 500_000;
/** Hundreds of envelopes on a busy machine. */
const DRAIN_TIMEOUT_MS = 120_000;
/** A server whose attempt times out on a busy machine would deliver an envelope twice. */
const LONG_TIMEOUT = { RELAY_TIMEOUT_MS: "30000" };
/** More than fit into the file and its log. */
const MAX_ENVELOPES = 200;

async function expectSpooled(server: ServerProcess, body: BodyInit = fresh()): Promise<void> {
  const response = await postTo(server, body);
  assert.equal(response.status, 202, await response.text());
  assert.equal(response.headers.get("x-relay-outcome"), "spooled");
}

Deno.test({
  name:
    "disk full → 503 spool_unavailable, logged once; earlier envelopes delivered once there is room",
  ignore: Deno.build.os === "windows",
  async fn() {
    using data = temporaryFolder();
    await using ingest = startStandInIngest();
    ingest.behave(answers(500));
    const kept: string[] = [];
    {
      await using server = await startRelaying(ingest, { dataDir: data.path, before: SMALL_FILES });
      for (let refused = 0; refused < 3;) {
        const body = largeEnvelope(LARGE);
        const response = await postTo(server, body);
        if (response.status === 202) {
          await response.body?.cancel();
          kept.push(new TextDecoder().decode(body));
        } else {
          await expectError(response, 503, "spool_unavailable");
          refused++;
        }
        assert.ok(kept.length < MAX_ENVELOPES);
      }
      assert.ok(kept.length > 5, `${kept.length} were kept`);
      assert.equal(server.output().match(/error: The spool cannot store envelopes/g)?.length, 1);
      assert.doesNotMatch(server.output(), /The spool fails/);
    }
    const taken: string[] = [];
    ingest.behave(({ text }) => {
      taken.push(text);
      return takes();
    });
    await using server = await startRelaying(ingest, { dataDir: data.path, env: LONG_TIMEOUT });
    await untilDrained(server, DRAIN_TIMEOUT_MS);
    assert.deepEqual(
      taken.filter((text) => kept.includes(text)).toSorted(),
      kept.toSorted(),
    );
  },
});

Deno.test("spool locked by another process → 503 spool_unavailable, then 202", async () => {
  using data = temporaryFolder();
  await using ingest = startStandInIngest();
  ingest.behave(answers(500));
  await using server = await startRelaying(ingest, { dataDir: data.path });
  await expectSpooled(server);
  using other = new DatabaseSync(join(data.path, "spool.sqlite"), { timeout: 5_000 });
  other.exec("BEGIN IMMEDIATE");
  const body = fresh();
  await expectError(await postTo(server, body), 503, "spool_unavailable");
  other.exec("ROLLBACK");
  await expectSpooled(server, body);
});

Deno.test("ingest name does not resolve → 202 spooled, the server stays healthy", async () => {
  await using server = await startRelaying({ origin: "http://nowhere.invalid:1" });
  await expectSpooled(server);
  const { is_healthy, spool } = await healthOf(server);
  assert.ok(is_healthy && spool.pending >= 1);
});
