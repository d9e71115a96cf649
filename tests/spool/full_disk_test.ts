import assert from "node:assert/strict";
import { join } from "node:path";
import { mountSmallDisk, needsSmallDisk } from "../harness/small_disk.ts";
import { expectError } from "../relay/_expect.ts";
import { largeEnvelope } from "../relay/_start_relay.ts";
import { postTo, startRelaying } from "../harness/relaying_server.ts";
import { untilDrained } from "../harness/server_health.ts";
import { answers, startStandInIngest, takes } from "../harness/stand_in_ingest.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { readAll, startChild } from "./_start_child.ts";

/** Limits files to 24 MiB (in blocks of 512 bytes). Ignoring SIGXFSZ makes writes fail as on a full disk. */
const SMALL_FILES = "trap '' XFSZ; ulimit -f 49152";
const LARGE = 500_000;
/** Hundreds of envelopes on a busy machine. */
const DRAIN_TIMEOUT_MS = 120_000;
/** A server whose attempt times out on a busy machine would deliver an envelope twice. */
const LONG_TIMEOUT = { RELAY_TIMEOUT_MS: "30000" };
/** More than fit into the file and its log. */
const MAX_ENVELOPES = 200;

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

Deno.test({
  ...await needsSmallDisk("disk full of envelopes → they can be deleted, then new ones are kept"),
  async fn() {
    await using disk = await mountSmallDisk(40);
    assert.ok(disk);
    const { path, before } = disk;
    const child = startChild("refill", join(path, "spool.sqlite"), before);
    const [kept, error, has, left, again] = await readAll(child);
    assert.ok(Number(kept) > 100, kept);
    assert.match(error ?? "", /^SpoolUnavailableError: /);
    assert.deepEqual([has, left, again], ["false", "0", "kept"]);
    assert.equal((await child.process.status).success, true);
  },
});
