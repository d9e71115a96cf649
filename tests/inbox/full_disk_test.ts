/** The inbox of a real server on a full disk. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { envelopeOf, hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { type ServerProcess, startServer } from "../harness/server_process.ts";
import { mountSmallDisk, needsSmallDisk, type SmallDisk } from "../harness/small_disk.ts";
import { statusOf } from "../harness/status_of.ts";
import { until } from "../harness/until.ts";
import { EventReader } from "./_event_reader.ts";

const DISK_MIB = 40;
const BODY_BYTES = 500_000;
const NOTICE = "The inbox cannot store envelopes: the disk is full or not writable.";

/** Runs a test with a server whose data folder is on a small disk. */
async function withSmallDisk(
  work: (server: ServerProcess, disk: SmallDisk) => Promise<void>,
): Promise<void> {
  await using disk = await mountSmallDisk(DISK_MIB);
  assert.ok(disk);
  await using server = await startServer({ dataDir: disk.path, before: disk.before });
  await work(server, disk);
}

let made = 0;

/** Posts one large envelope. Returns its id and the status of the response. */
async function post({ origin }: ServerProcess): Promise<{ id: string; status: number }> {
  const id = hexId(0xf00000 + ++made);
  const header = { event_id: id, dsn: "https://inbox@sightglass.invalid/1" };
  const body = envelopeOf(header, ["attachment", new Uint8Array(BODY_BYTES)]);
  return { id, status: await statusOf(fetch(`${origin}/monitoring`, { method: "POST", body })) };
}

/** Posts until the server refuses. Returns the accepted ids. */
async function fill(server: ServerProcess): Promise<string[]> {
  for (const taken: string[] = [];;) {
    const { id, status } = await post(server);
    if (status === 503) return taken;
    assert.equal(status, 200);
    taken.push(id);
    assert.ok(taken.length * BODY_BYTES < DISK_MIB * 1024 * 1024, "the disk does not fill");
  }
}

async function health({ origin }: ServerProcess): Promise<number> {
  const response = await fetch(`${origin}/monitoring`);
  const { is_healthy } = await response.json();
  assert.equal(is_healthy, response.ok);
  return response.status;
}

async function stored({ origin }: ServerProcess): Promise<string[]> {
  const { envelopes } = await (await fetch(`${origin}/monitoring/inbox`)).json();
  return envelopes.map(({ event_id }: { event_id: string }) => event_id)
    .filter((id: string | null) => id?.startsWith(hexId(0xf00000).slice(0, -4)));
}

async function deleteAll(server: ServerProcess): Promise<void> {
  const deleted = await fetch(`${server.origin}/monitoring/inbox`, { method: "DELETE" });
  assert.equal(deleted.status, 204, await deleted.text());
  assert.deepEqual(await stored(server), []);
}

/** The next event with this name. */
async function nextOf(name: string, reader: EventReader): Promise<string | undefined> {
  for (;;) {
    const event = await reader.next();
    if (event === undefined || event.event === name) return event?.data;
  }
}

Deno.test({
  ...await needsSmallDisk(
    "disk filled by the inbox → 503 and unhealthy, nothing lost; deleted → all well",
  ),
  fn: () =>
    withSmallDisk(async (server) => {
      await using reader = await EventReader.open(`${server.origin}/monitoring/inbox`);
      const taken = new Set(await fill(server));
      // After the first refusal a smaller one may fit; fills the rest.
      await until("the server is unhealthy", async () => {
        for (const id of await fill(server)) taken.add(id);
        return await health(server) === 503;
      });
      assert.equal(await nextOf("storage", reader), '{"writable":false}');
      // What is left is less than an envelope needs.
      for (const end = Date.now() + 3_000; Date.now() < end; await delay(100)) {
        assert.equal(await health(server), 503);
      }
      assert.deepEqual(new Set(await stored(server)), taken);

      await deleteAll(server);
      assert.equal(await health(server), 200);
      assert.equal((await post(server)).status, 200);
      await using later = await EventReader.open(`${server.origin}/monitoring/inbox`);
      assert.equal((await later.next())?.event, "envelope", "no event of a full disk comes first");
    }),
});

// Freeing the disk writes more than deleting does.
for (const room of [0, 64, 512, 1024]) {
  const title = room === 0
    ? "disk full → DELETE makes room, 204"
    : `disk full but for ${room} KiB → DELETE frees what the envelopes took`;
  Deno.test({
    ...await needsSmallDisk(title),
    fn: () =>
      withSmallDisk(async (server, disk) => {
        await fill(server);
        {
          // Fills the reserve as well, once the server has freed it.
          using _full = disk.keepFull();
          await fill(server);
        }
        if (room > 0) disk.free(room * 1024);
        await deleteAll(server);
        await until("envelopes are taken", async () => (await post(server)).status === 200);
      }),
  });
}

Deno.test({
  ...await needsSmallDisk(
    "disk filled by another program, reserve included → unhealthy; freed → healthy",
  ),
  fn: () =>
    withSmallDisk(async (server, disk) => {
      for (let n = 0; n < 10; n++) assert.equal((await post(server)).status, 200);
      {
        using _full = disk.keepFull();
        await until("the server is unhealthy", async () => {
          await fill(server);
          return await health(server) === 503;
        });
      }
      // If the disk were filled further, the new file could find no space.
      await deleteAll(server);

      disk.free();
      await until("the server is healthy", async () => await health(server) === 200);
      assert.equal((await post(server)).status, 200);
      // One line for each change, not one for each envelope.
      const lines = server.output().split("\n").filter((line) => line.includes(NOTICE));
      assert.ok(lines.length >= 1 && lines.length <= 5, server.output());
    }),
});
