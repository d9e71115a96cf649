/** Real servers whose PostgreSQL has a full disk. */
import assert from "node:assert/strict";
import { envelopeOf, error, hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import {
  postgresBinaries,
  type PrivatePostgres,
  startPostgres,
} from "../../monitoring/storage/testdata/private_postgres.ts";
import { postTo, startRelaying } from "../harness/relaying_server.ts";
import { untilDrained } from "../harness/server_health.ts";
import { type ServerProcess, startServer } from "../harness/server_process.ts";
import { mountSmallDisk, needsSmallDisk, type SmallDisk } from "../harness/small_disk.ts";
import { answers, startStandInIngest, takes } from "../harness/stand_in_ingest.ts";
import { statusOf } from "../harness/status_of.ts";
import { until } from "../harness/until.ts";
import { largeEnvelope } from "../relay/_start_relay.ts";

/** A new PostgreSQL takes 23 MiB, and the reserve 16. */
const DISK_MIB = 80;
const LARGE = 500_000;
const SMALL = 2_000;
/** With the reserve of 16 MiB, more and less than the 24 MiB of a disk that is not full. */
const [MANY, FEW] = [30, 10];

async function test(name: string, work: (pg: PrivatePostgres, disk: SmallDisk) => Promise<void>) {
  const { ignore, ...named } = await needsSmallDisk(name);
  Deno.test({
    ...named,
    ignore: ignore || postgresBinaries === undefined,
    async fn() {
      await using disk = await mountSmallDisk(DISK_MIB);
      assert.ok(disk);
      await using postgres = await startPostgres(disk);
      await work(postgres, disk);
    },
  });
}

const health = ({ origin }: ServerProcess) => statusOf(fetch(`${origin}/monitoring`));

/** Fills the disk, posts until the server refuses, and checks that it refuses small envelopes, too. */
async function untilRefused(
  server: ServerProcess,
  disk: SmallDisk,
  post: (bytes: number) => Promise<number>,
): Promise<void> {
  disk.fill();
  await until("a large envelope is refused", async () => await post(LARGE) === 503);
  for (let n = 0; n < 20; n++) {
    assert.deepEqual([await post(SMALL), await health(server)], [503, 503]);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const count = (server: ServerProcess, line: string) => server.output().split(line).length - 1;

await test(
  "disk of the inbox's PostgreSQL is full → all refused, unhealthy; deleting makes room",
  async (postgres, disk) => {
    await using server = await startServer({ env: { DATABASE_URL: postgres.url() } });
    const inbox = `${server.origin}/monitoring/inbox`;
    let n = 0;
    const post = (bytes: number) => {
      const header = { event_id: hexId(++n), dsn: "https://inbox@sightglass.invalid/1" };
      const items = [error("a"), ["attachment", new Uint8Array(bytes)] as const];
      return statusOf(postTo(server, envelopeOf(header, ...items)));
    };
    for (let sent = 0; sent < MANY; sent++) assert.equal(await post(LARGE), 200);
    await untilRefused(server, disk, post);

    const { rows: [{ group }] } = await (await fetch(`${inbox}?view=errors`)).json();
    for (const query of [`?group=${group}`, ""]) {
      const deleted = await fetch(`${inbox}${query}`, { method: "DELETE" });
      assert.equal(deleted.status, 204, `${query} ${await deleted.text()}`);
    }
    await until("the server is healthy", async () => await health(server) === 200);
    assert.equal(await post(LARGE), 200);
    const full = "The inbox cannot store envelopes: the disk of PostgreSQL is full.";
    assert.equal(count(server, full), 1, server.output());
    assert.equal(count(server, "The inbox stores envelopes again"), 1, server.output());
  },
);

await test(
  "disk of the spool's PostgreSQL is full → all refused, unhealthy; what was kept is delivered",
  async (postgres, disk) => {
    await using ingest = startStandInIngest();
    ingest.behave(answers(503));
    await using server = await startRelaying(ingest, {
      env: { DATABASE_URL: postgres.url(), RELAY_TIMEOUT_MS: "30000" },
    });
    const kept: string[] = [];
    const post = async (bytes: number) => {
      const body = largeEnvelope(bytes);
      const status = await statusOf(postTo(server, body));
      if (status === 202) kept.push(new TextDecoder().decode(body));
      return status;
    };
    for (let sent = 0; sent < FEW; sent++) assert.equal(await post(LARGE), 202);
    await untilRefused(server, disk, post);

    const taken: string[] = [];
    ingest.behave(({ text }) => {
      taken.push(text);
      return takes();
    });
    await untilDrained(server);
    assert.deepEqual(taken.filter((text) => kept.includes(text)).toSorted(), kept.toSorted());
    assert.equal(await health(server), 200);

    // No client posts: the health check itself finds the room.
    ingest.behave(answers(503));
    await post(SMALL);
    assert.equal(await health(server), 503);
    disk.free();
    await until("the server is healthy", async () => await health(server) === 200);
    assert.equal(await post(LARGE), 202);
    assert.doesNotMatch(server.output(), /The spool fails/);
    assert.equal(count(server, "The spool cannot store envelopes"), 1, server.output());
    assert.equal(count(server, "The spool stores envelopes again"), 1, server.output());
  },
);
