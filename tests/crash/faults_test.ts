/** The real server with one fault: of its disk, spool file, ingest or name server. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ServerProcess } from "../harness/server_process.ts";
import { expectError } from "../relay/_expect.ts";
import { fresh, largeEnvelope } from "../relay/_start_relay.ts";
import { postTo, startRelaying } from "../harness/relaying_server.ts";
import {
  answers,
  type StandInIngest,
  startStandInIngest,
  takes,
} from "../harness/stand_in_ingest.ts";
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

/** How often the stand-in ingest accepted this body. */
const timesTaken = (taken: readonly string[], body: Uint8Array) =>
  taken.filter((text) => text === new TextDecoder().decode(body)).length;

/** Makes the ingest accept everything. Returns the texts in order of arrival. */
function takeAll(ingest: StandInIngest): string[] {
  const taken: string[] = [];
  ingest.behave(({ text }) => {
    taken.push(text);
    return takes();
  });
  return taken;
}

Deno.test({
  name: "disk full → 503 spool_unavailable, earlier envelopes delivered once there is room",
  ignore: Deno.build.os === "windows",
  async fn() {
    using data = temporaryFolder();
    await using ingest = startStandInIngest();
    ingest.behave(answers(500));
    const kept: Uint8Array<ArrayBuffer>[] = [];
    {
      await using server = await startRelaying(ingest, {
        dataDir: data.path,
        before: SMALL_FILES,
      });
      for (;;) {
        const body = largeEnvelope(LARGE);
        const response = await postTo(server, body);
        if (response.status !== 202) {
          await expectError(response, 503, "spool_unavailable");
          break;
        }
        await response.body?.cancel();
        kept.push(body);
        assert.ok(kept.length < MAX_ENVELOPES);
      }
      assert.ok(kept.length > 5, `${kept.length} were kept`);
    }
    const taken = takeAll(ingest);
    await using server = await startRelaying(ingest, {
      dataDir: data.path,
      env: LONG_TIMEOUT,
    });
    await untilDrained(server, DRAIN_TIMEOUT_MS);
    assert.deepEqual(kept.map((body) => timesTaken(taken, body)), kept.map(() => 1));
  },
});

Deno.test({
  name: "data folder not writable → one line that names DATA_DIR, exit code 1",
  ignore: Deno.build.os !== "linux",
  async fn() {
    using parent = temporaryFolder();
    const readOnly = join(parent.path, "read-only");
    Deno.mkdirSync(readOnly, { mode: 0o500 });
    // Root may write to a read-only folder, but not to this one.
    const dataDir = Deno.uid() === 0 ? "/proc/self/fdinfo" : readOnly;
    const starting = startRelaying({ origin: "http://127.0.0.1:9" }, { dataDir });
    await assert.rejects(starting, (error: Error) => {
      const [first, ...lines] = error.message.trimEnd().split("\n");
      assert.equal(first, "The server ended with 1:");
      assert.equal(lines.length, 1, error.message);
      assert.match(lines[0] ?? "", /^Cannot open the spool in .*DATA_DIR/);
      return true;
    });
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

Deno.test("two servers on one DATA_DIR → every envelope delivered, none twice", async () => {
  using data = temporaryFolder();
  await using ingest = startStandInIngest();
  ingest.behave(answers(503));
  const options = { dataDir: data.path, env: LONG_TIMEOUT };
  await using one = await startRelaying(ingest, options);
  await using two = await startRelaying(ingest, options);
  const sent = Array.from({ length: 300 }, () => fresh());
  await Promise.all(sent.map((body, n) => expectSpooled(n % 2 === 0 ? one : two, body)));
  const taken = takeAll(ingest);
  await Promise.all([untilDrained(one, DRAIN_TIMEOUT_MS), untilDrained(two, DRAIN_TIMEOUT_MS)]);
  assert.deepEqual(sent.map((body) => timesTaken(taken, body)), sent.map(() => 1));
});
