import assert from "node:assert/strict";
import { join } from "node:path";
import { type ProcessReport, type Reports, totalOf } from "./process_report.ts";
import { ReportExchange } from "./report_exchange.ts";
import { countsOf } from "./outcomes.ts";
import { createRelay } from "./relay.ts";

const FOLDER = Deno.makeTempDirSync({ prefix: "counts-" });
Deno.test.afterAll(() => Deno.removeSync(FOLDER, { recursive: true }));

const createTestRelay = (exchange?: ReportExchange) =>
  createRelay({
    allowedDsns: [],
    maxEnvelopeBytes: 1,
    maxInFlightBytes: 1,
    relayTimeoutMs: 1,
    exchange,
  });

const EMPTY = createTestRelay().report();

/** A report of a process that has received so many bytes. */
const report = (receivedBytes: number, facts: Partial<ProcessReport> = {}): ProcessReport => ({
  ...EMPTY,
  at: 0,
  startedAt: receivedBytes,
  counts: { ...EMPTY.counts, receivedBytes },
  inFlightBytes: 10,
  hasRoom: false,
  ...facts,
});

const open = (
  worker: number,
  onFailure: (error: unknown) => void = (error) => assert.fail(`${error}`),
) => ReportExchange.open({ folder: join(FOLDER, "data"), worker, workers: 3, onFailure });

const received = (reports: Reports) => totalOf(reports, 0).counts.receivedBytes;

Deno.test("two of three processes → each knows the sum, a replacement continues its counts", async () => {
  const [first, second] = await Promise.all([open(0), open(1)]);
  assert.equal(first.isReplacement, false);
  assert.equal(received(await first.exchange(() => report(100))), 100);
  assert.equal(received(await second.exchange(() => report(7))), 107);
  assert.equal(received(await first.exchange(() => report(200))), 207);

  const replacement = await open(0);
  assert.equal(replacement.isReplacement, true);
  assert.equal(received(await second.exchange(() => report(7))), 207);
  assert.equal(received(await replacement.exchange(() => report(1))), 208);
  assert.equal(received(await second.exchange(() => report(7))), 208);
  const [own] = await replacement.exchange(() => report(2));
  assert.equal(own!.startedAt, 200, "of the process before");
  await replacement.close(() => report(3));
  assert.equal(received(await second.exchange(() => report(7))), 210);
});

Deno.test("counts grow while processes are asked in turn → no answer has less than an earlier one", async () => {
  const counted = [0, 0, 0];
  const processes = await Promise.all(counted.map((_, worker) => open(worker)));
  let last = 0;
  for (let round = 0; round < 50; round++) {
    const asked = round % 3;
    counted[asked]! += 1;
    const answers = processes.map((process, worker) =>
      process.exchange(() => report(++counted[worker]!))
    );
    const sum = received(await answers[asked]!);
    assert.ok(sum >= last, `${sum} after ${last}`);
    last = sum;
    await Promise.all(answers);
  }
});

Deno.test("folder cannot be written → reported, own counts still known", async () => {
  Deno.writeTextFileSync(join(FOLDER, "file"), "");
  const failures: unknown[] = [];
  const exchange = await ReportExchange.open({
    folder: join(FOLDER, "file"),
    worker: 0,
    workers: 2,
    onFailure: (error) => failures.push(error),
  });
  assert.equal(received(await exchange.exchange(() => report(5))), 5);
  assert.equal(received(await exchange.exchange(() => report(6))), 6);
  assert.equal(failures.length, 2, "the folder, and the first report");
});

Deno.test("processes that have ended → counted, but not measured; newest envelope of an ingest decides", () => {
  const down = { origin: "https://a.example", at: 5, reason: "it answered 503" };
  const total = totalOf([
    report(1, { ingests: [down], residentBytes: 100 }),
    report(2, { at: 4_000, hasRoom: true, ingests: [{ ...down, at: 6, reason: undefined }] }),
    report(4, {
      at: -60_000,
      residentBytes: 1e9,
      ingests: [{ ...down, origin: "https://b.example" }],
    }),
  ], 1_000);
  assert.equal(total.counts.receivedBytes, 7);
  assert.deepEqual([total.processes, total.inFlightBytes, total.hasRoom], [2, 20, true]);
  assert.equal(total.residentBytes, 100 + EMPTY.residentBytes);
  assert.equal(total.startedAt, 1);
  const failing = total.ingests.filter(({ reason }) => reason !== undefined);
  assert.deepEqual(failing.map(({ origin }) => origin), ["https://b.example"]);
});

type Group = Record<string, Record<string, unknown>>;

/** By what differs: the counts of another version, and how many rejected errors and envelopes of 5 this one knows. */
const VERSIONS: Record<
  string,
  [change: (counts: Record<string, Group>) => object, number, number]
> = {
  "category renamed": [
    ({ items }) => ({ items: { ...items, error: undefined, failure: items!.error } }),
    0,
    5,
  ],
  "reason missing": [
    ({ envelopes }) => ({
      envelopes: { ...envelopes, rejected: { ...envelopes!.rejected, ingest: undefined } },
    }),
    5,
    5,
  ],
  "group and names new": [
    ({ attempts }) => ({ colours: { red: 5 }, attempts: { ...attempts, late: {} } }),
    5,
    5,
  ],
  "group missing": [() => ({ items: undefined }), 0, 5],
  "values of other types": [
    () => ({
      items: { error: { rejected: "5" } },
      envelopes: null,
      attempts: { decided: { buckets: 1, count: null, sum: [] }, undecided: true },
      receivedBytes: {},
      cpuSeconds: "x",
    }),
    0,
    0,
  ],
};
for (const [difference, [change, errors, envelopes]] of Object.entries(VERSIONS)) {
  Deno.test(`counts of another version, ${difference} → added as far as known`, async () => {
    const folder = join(FOLDER, difference);
    const onFailure = (error: unknown) => assert.fail(`${error}`);
    Deno.mkdirSync(folder);
    const counts = JSON.parse(JSON.stringify(EMPTY.counts));
    counts.items.error.rejected = 5;
    counts.envelopes.rejected.overloaded = 5;
    const other = { ...EMPTY, at: Date.now(), counts: { ...counts, ...change(counts) } };
    const facts = [{}, { inFlightBytes: "x", residentBytes: null, ingests: [null, { at: 1 }] }];
    // The last worker replaces the process of the other version.
    for (const [worker, more] of [[0, facts[0]], [0, facts[1]], [1, facts[1]]] as const) {
      Deno.writeTextFileSync(join(folder, "1.json"), JSON.stringify({ ...other, ...more }));
      const exchange = await ReportExchange.open({ folder, worker, workers: 2, onFailure });
      const relay = createTestRelay(exchange);
      const health = await relay.health();
      const { outcomes, in_flight_bytes } = await health.json();
      assert.deepEqual([health.status, in_flight_bytes], [200, 0]);
      assert.deepEqual(outcomes, { ...countsOf(EMPTY.counts.envelopes), rejected: envelopes });
      const metrics = await (await relay.metrics()).text();
      assert.doesNotMatch(metrics, /NaN|null|undefined|object/);
      const line = `sightglass_items_total{category="error",outcome="rejected"} ${errors}\n`;
      assert.equal(metrics.includes(line), errors > 0);
    }
  });
}

Deno.test("report that is not JSON, or not a report → as if there were none", async () => {
  const folder = join(FOLDER, "harmed");
  const exchange = await ReportExchange.open({
    folder,
    worker: 0,
    workers: 2,
    onFailure: (error) => assert.fail(`${error}`),
  });
  for (const text of ["", "{", "null", "1", "[]", '"x"']) {
    Deno.writeTextFileSync(join(folder, "1.json"), text);
    assert.equal(received(await exchange.exchange(() => report(7))), 7, text);
  }
});

Deno.test("a process stops → health 200 while another takes envelopes, then 503", async () => {
  const folder = join(FOLDER, "stopping");
  const onFailure = (error: unknown) => assert.fail(`${error}`);
  const exchanges = await Promise.all(
    [0, 1].map((worker) => ReportExchange.open({ folder, worker, workers: 2, onFailure })),
  );
  const [first, second] = exchanges.map((exchange) => createTestRelay(exchange));
  const statuses = async () => [(await first!.health()).status, (await second!.health()).status];
  first!.stop();
  // The first one learns of the second one.
  await exchanges[1]!.write(() => second!.report());
  assert.deepEqual(await statuses(), [200, 200]);
  second!.stop();
  await exchanges[1]!.write(() => second!.report());
  assert.deepEqual(await statuses(), [503, 503]);
});
