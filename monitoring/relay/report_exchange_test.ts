import assert from "node:assert/strict";
import { join } from "node:path";
import { type ProcessReport, type Reports, samplesOf, totalOf } from "./process_report.ts";
import { ReportExchange } from "./report_exchange.ts";
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

const EMPTY = await createTestRelay().report();

type Metric = ProcessReport["metrics"][number];

/** The metrics with other values of those that have no labels. */
const withValues = (metrics: readonly Metric[], values: Record<string, number>): Metric[] =>
  metrics.map((metric) => {
    const value = values[metric.name];
    return value === undefined ? metric : { ...metric, values: [{ value, labels: {} }] };
  });

/** A report of a process that has received so many bytes. */
const report = (
  receivedBytes: number,
  { residentBytes = 0, ...facts }: Partial<ProcessReport> & { residentBytes?: number } = {},
): ProcessReport => ({
  at: 0,
  metrics: withValues(EMPTY.metrics, {
    sightglass_received_bytes_total: receivedBytes,
    sightglass_in_flight_bytes: 10,
    process_resident_memory_bytes: residentBytes,
    process_start_time_seconds: 1000 - receivedBytes,
  }),
  hasRoom: false,
  ingests: [],
  ...facts,
});

const make = (receivedBytes: number) => () => Promise.resolve(report(receivedBytes));

/** A metric without labels, of all processes. */
async function valueOf(reports: Reports, name: string, now = 0): Promise<number> {
  const [sample] = await samplesOf(totalOf(reports, now).metrics, name);
  return sample!.value;
}

const received = (reports: Reports) => valueOf(reports, "sightglass_received_bytes_total");

const open = (
  worker: number,
  onFailure: (error: unknown) => void = (error) => assert.fail(`${error}`),
) => ReportExchange.open({ folder: join(FOLDER, "data"), worker, workers: 3, onFailure });

Deno.test("two of three processes → each knows the sum, a replacement continues its counts", async () => {
  const [first, second] = await Promise.all([open(0), open(1)]);
  assert.equal(first.isReplacement, false);
  assert.equal(await received(await first.exchange(make(100))), 100);
  assert.equal(await received(await second.exchange(make(7))), 107);
  assert.equal(await received(await first.exchange(make(200))), 207);

  const replacement = await open(0);
  assert.equal(replacement.isReplacement, true);
  assert.equal(await received(await second.exchange(make(7))), 207);
  assert.equal(await received(await replacement.exchange(make(1))), 208);
  assert.equal(await received(await second.exchange(make(7))), 208);
  const [own] = await replacement.exchange(make(2));
  assert.equal(await valueOf([own], "process_start_time_seconds"), 800, "of the process before");
  await replacement.close(make(3));
  assert.equal(await received(await second.exchange(make(7))), 210);
});

Deno.test("counts grow while processes are asked in turn → no answer has less than an earlier one", async () => {
  const counted = [0, 0, 0];
  const processes = await Promise.all(counted.map((_, worker) => open(worker)));
  let last = 0;
  for (let round = 0; round < 50; round++) {
    const asked = round % 3;
    counted[asked]! += 1;
    const answers = processes.map((process, worker) =>
      process.exchange(() => Promise.resolve(report(++counted[worker]!)))
    );
    const sum = await received(await answers[asked]!);
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
  assert.equal(await received(await exchange.exchange(make(5))), 5);
  assert.equal(await received(await exchange.exchange(make(6))), 6);
  assert.equal(failures.length, 2, "the folder, and the first report");
});

Deno.test("processes that have ended → counted, but not measured; newest envelope of an ingest decides", async () => {
  const down = { origin: "https://a.example", at: 5, reason: "it answered 503" };
  const reports: Reports = [
    report(1, { ingests: [down], residentBytes: 100 }),
    report(2, { at: 4_000, hasRoom: true, ingests: [{ ...down, at: 6, reason: undefined }] }),
    report(4, {
      at: -60_000,
      residentBytes: 1e9,
      ingests: [{ ...down, origin: "https://b.example" }],
    }),
  ];
  const values = [
    "sightglass_received_bytes_total",
    "sightglass_in_flight_bytes",
    "process_resident_memory_bytes",
    "process_start_time_seconds",
  ].map((name) => valueOf(reports, name, 1_000));
  assert.deepEqual(await Promise.all(values), [7, 20, 100, 996]);
  const total = totalOf(reports, 1_000);
  assert.deepEqual([total.processes, total.hasRoom], [2, true]);
  const failing = total.ingests.filter(({ reason }) => reason !== undefined);
  assert.deepEqual(failing.map(({ origin }) => origin), ["https://b.example"]);
});

/** Metrics by name, as JSON. */
type Named = Record<string, { values: { value: unknown; labels: Record<string, unknown> }[] }>;

/** By what differs: the metrics of another version, and how many rejected errors and envelopes of 5 this one knows. */
const VERSIONS: Record<string, [change: (named: Named) => object, number, number]> = {
  "category renamed": [
    ({ sightglass_items_total: items }) => {
      items!.values[0]!.labels.category = "failure";
      return {};
    },
    0,
    5,
  ],
  "reason missing": [
    ({ sightglass_envelopes_total: envelopes }) => {
      envelopes!.values = envelopes!.values.filter(({ labels }) => labels.reason !== "ingest");
      return {};
    },
    5,
    5,
  ],
  "metric and labels new": [
    ({ sightglass_upstream_duration_seconds: durations }) => {
      durations!.values.push({ value: 5, labels: { outcome: "late" } });
      const values = [{ value: 5, labels: { colour: "red" } }];
      return { colours: { name: "colours", type: "counter", aggregator: "sum", values } };
    },
    5,
    5,
  ],
  "metric missing": [() => ({ sightglass_items_total: undefined }), 0, 5],
  "values of other types": [
    ({ sightglass_items_total: items }) => {
      items!.values = [{ value: "5", labels: { category: "error", outcome: "rejected" } }];
      return {
        sightglass_envelopes_total: { name: "sightglass_envelopes_total", values: null },
        sightglass_received_bytes_total: {
          name: "sightglass_received_bytes_total",
          values: [null, 5, { value: {} }, { value: 5, labels: { outcome: {} } }],
        },
        process_cpu_seconds_total: "x",
      };
    },
    0,
    0,
  ],
};
for (const [difference, [change, errors, envelopes]] of Object.entries(VERSIONS)) {
  Deno.test(`counts of another version, ${difference} → added as far as known`, async () => {
    const folder = join(FOLDER, difference);
    const onFailure = (error: unknown) => assert.fail(`${error}`);
    Deno.mkdirSync(folder);
    const named: Named = JSON.parse(
      JSON.stringify(Object.fromEntries(EMPTY.metrics.map((metric) => [metric.name, metric]))),
    );
    named.sightglass_items_total!.values = [
      { value: 5, labels: { category: "error", outcome: "rejected" } },
    ];
    named.sightglass_envelopes_total!.values.push(
      { value: 5, labels: { outcome: "rejected", reason: "overloaded" } },
    );
    const changes = change(named);
    const metrics = Object.values({ ...named, ...changes }).filter(Boolean);
    const other = { ...EMPTY, at: Date.now(), metrics };
    const facts = [{}, { at: "x", hasRoom: null, ingests: [null, { at: 1 }] }];
    // The last worker replaces the process of the other version.
    for (const [worker, more] of [[0, facts[0]], [0, facts[1]], [1, facts[1]]] as const) {
      Deno.writeTextFileSync(join(folder, "1.json"), JSON.stringify({ ...other, ...more }));
      const exchange = await ReportExchange.open({ folder, worker, workers: 2, onFailure });
      const relay = createTestRelay(exchange);
      const health = await relay.health();
      const { outcomes, in_flight_bytes } = await health.json();
      assert.deepEqual([health.status, in_flight_bytes], [200, 0]);
      const { rejected, ...rest } = outcomes;
      assert.equal(rejected, envelopes);
      assert.deepEqual(Object.values(rest), [0, 0, 0, 0, 0, 0]);
      const metrics = await (await relay.metrics()).text();
      assert.doesNotMatch(metrics, /NaN|null|undefined|object/i);
      assert.doesNotMatch(metrics, /colours/);
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
    assert.equal(await received(await exchange.exchange(make(7))), 7, text);
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
