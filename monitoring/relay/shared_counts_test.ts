import assert from "node:assert/strict";
import { join } from "node:path";
import { type ProcessReport, totalOf } from "./process_report.ts";
import { Relay } from "./relay.ts";
import { shareCounts, type SharedCounts } from "./shared_counts.ts";

const FOLDER = Deno.makeTempDirSync({ prefix: "counts-" });
Deno.test.afterAll(() => Deno.removeSync(FOLDER, { recursive: true }));

const RECEIVED = "sightglass_received_bytes_total";

const createTestRelay = (sharedCounts?: SharedCounts) =>
  new Relay({
    allowedDsns: [],
    maxEnvelopeBytes: 1,
    maxInFlightBytes: 1,
    relayTimeoutMs: 1,
    sharedCounts,
  });

/** A report of a process that has received so many bytes. */
const report = (receivedBytes: number, facts: Partial<ProcessReport> = {}): ProcessReport => ({
  at: 0,
  startedAt: 1000 - receivedBytes,
  counts: { [RECEIVED]: receivedBytes },
  inFlightBytes: 10,
  residentBytes: 0,
  hasRoom: false,
  ingests: [],
  ...facts,
});

const received = (reports: readonly ProcessReport[]) => totalOf(reports, 0).counts[RECEIVED];

const fail = (error: unknown) => assert.fail(`${error}`);

/** Time passes with each look at the clock. */
let uptime = 0;
const options = { onFailure: fail, uptime: () => uptime += 1_000 };

const open = (folder: string, worker: number, workers = 2) =>
  shareCounts({ ...options, folder: join(FOLDER, folder), worker, workers });

Deno.test("two of three processes → each knows the sum, a replacement continues its counts", () => {
  const [first, second] = [open("data", 0, 3), open("data", 1, 3)];
  assert.equal(first.isReplacement, false);
  assert.equal(received(first.all(report(100))), 100);
  assert.equal(received(second.all(report(7))), 107);
  assert.equal(received(first.all(report(200))), 207);

  const replacement = open("data", 0, 3);
  assert.equal(replacement.isReplacement, true);
  assert.equal(received(second.all(report(7))), 207);
  assert.equal(received(replacement.all(report(1))), 208);
  assert.equal(received(second.all(report(7))), 208);
  const [own] = replacement.all(report(2));
  assert.equal(own?.startedAt, 800, "of the process before");
  replacement.close(report(3));
  assert.equal(received(second.all(report(7))), 210);
});

Deno.test("totals asked for many times → files read and written once a second", () => {
  let now = 0;
  const [folder, other] = [join(FOLDER, "often"), open("often", 1)];
  const counts = shareCounts({ ...options, folder, worker: 0, workers: 2, uptime: () => now });
  assert.equal(received(counts.all(report(1))), 1);
  other.write(report(7));
  Deno.removeSync(join(folder, "0.json"));
  now = 999;
  assert.equal(received(counts.all(report(2))), 2);
  assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["1.json"]);
  now = 1_000;
  assert.equal(received(counts.all(report(3))), 10);
  assert.deepEqual([...Deno.readDirSync(folder)].length, 2);
  // As a process does that stops: it learns at once which others run.
  other.write(report(20));
  counts.write(report(3));
  assert.equal(received(counts.all(report(3))), 23);
});

Deno.test("folder cannot be written → reported once, own counts still known", () => {
  Deno.writeTextFileSync(join(FOLDER, "file"), "");
  const failures: unknown[] = [];
  const sharedCounts = shareCounts({
    ...options,
    folder: join(FOLDER, "file"),
    worker: 0,
    workers: 2,
    onFailure: (error) => failures.push(error),
  });
  assert.equal(received(sharedCounts.all(report(5))), 5);
  assert.equal(received(sharedCounts.all(report(6))), 6);
  assert.equal(failures.length, 1);
});

Deno.test("processes that have ended → counted, but not measured; newest envelope of an ingest decides", () => {
  const down = { origin: "https://a.example", at: 5, reason: "it answered 503" };
  const other = { ...down, origin: "https://b.example" };
  const total = totalOf([
    report(1, { ingests: [down], residentBytes: 100 }),
    report(2, { at: 4_000, hasRoom: true, ingests: [{ ...down, at: 6, reason: undefined }] }),
    report(4, { at: -60_000, residentBytes: 1e9, ingests: [other] }),
  ], 1_000);
  assert.deepEqual(total, {
    processes: 2,
    startedAt: 996,
    counts: { [RECEIVED]: 7 },
    inFlightBytes: 20,
    residentBytes: 100,
    hasRoom: true,
    ingests: [{ ...down, at: 6, reason: undefined }, other],
  });
});

Deno.test("counts of another version, metrics new and missing → added as far as known", async () => {
  Deno.mkdirSync(join(FOLDER, "versions"));
  const errors = 'sightglass_items_total{category="error",outcome="rejected"} 5\n';
  const other = {
    counts: {
      'sightglass_envelopes_total{outcome="rejected",reason="overloaded"}': 5,
      'sightglass_items_total{category="error",outcome="rejected"}': 5,
      'colours{colour="red"}': 5,
    },
  };
  // The last worker replaces the process of the other version.
  for (const worker of [0, 1]) {
    Deno.writeTextFileSync(join(FOLDER, "versions", "1.json"), JSON.stringify(other));
    const relay = createTestRelay(open("versions", worker));
    const health = await relay.status.health();
    const { outcomes: { rejected, ...rest }, in_flight_bytes } = await health.json();
    assert.deepEqual([health.status, in_flight_bytes, rejected], [200, 0, 5]);
    assert.deepEqual(Object.values(rest), [0, 0, 0, 0, 0, 0]);
    const metrics = await (await relay.status.metrics()).text();
    assert.doesNotMatch(metrics, /NaN|null|undefined|object|Infinity|colours/i);
    assert.ok(metrics.includes(errors));
  }
});

Deno.test("report that is not JSON, or has nothing → as if there were none", () => {
  const sharedCounts = open("harmed", 0);
  sharedCounts.write(report(7));
  for (const text of ["", "{", "null", "{}"]) {
    Deno.writeTextFileSync(join(FOLDER, "harmed", "1.json"), text);
    assert.equal(received(sharedCounts.all(report(7))), 7, text);
  }
});

Deno.test("a process stops → health 200 while another takes envelopes, then 503", async () => {
  const counts = [open("stopping", 0), open("stopping", 1)] as const;
  const [first, second] = [createTestRelay(counts[0]), createTestRelay(counts[1])];
  const statuses =
    async () => [(await first.status.health()).status, (await second.status.health()).status];
  first.stop();
  // The first one learns of the second one.
  counts[1].write(second.status.report());
  assert.deepEqual(await statuses(), [200, 200]);
  second.stop();
  counts[1].write(second.status.report());
  assert.deepEqual(await statuses(), [503, 503]);
});
