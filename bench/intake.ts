/**
 * Ten minutes of 50,000 spans, 50,000 logs and a point of 1,000 metric series a minute, sent by OTLP as fast as an inbox
 * takes them: the server's CPU time as a share of those ten minutes, the size of its files against the bodies that it
 * keeps, and the time of its lists afterwards. Linux only (`/proc`).
 */
import { logsJson, metricsJson, nanoseconds, tracesJson } from "../tests/harness/otlp_bodies.ts";
import { type ServerProcess, startServer } from "../tests/harness/server_process.ts";
import { BUDGETS } from "./budgets.ts";
import { budgeted, type Figure, worst } from "./figures.ts";
import { hexId } from "./inbox_envelopes.ts";
import { cpuMicros } from "./load.ts";

const MINUTES = 10;
const PER_MINUTE = 50_000;
/** As many as OpenTelemetry's batch processors send at most. */
const BATCH = 500;
const BATCHES = MINUTES * PER_MINUTE / BATCH;
const CONNECTIONS = 4;
const SPANS_PER_TRACE = 8;
/** Half of them counters, half histograms. */
const METRICS = 50;
const SERIES_PER_METRIC = 20;
const LISTS =
  "traces errors logs endpoints metrics metric&name=shop.metric1 metric&name=shop.metric2 applications"
    .split(" ");

/** @throws if a request is not stored, or the last log is not found */
export async function bench(): Promise<Figure[]> {
  await using server = await startServer();
  const before = cpuMicros(server);
  let next = 0;
  const send = async () => {
    while (next < BATCHES) {
      const n = next++;
      await post(server, "traces", tracesJson(entries(n, spanOf)));
      await post(server, "logs", logsJson(entries(n, logOf)));
      if (n % (BATCHES / MINUTES) === 0) {
        await post(server, "metrics", metricsJson(metricsOf(n * MINUTES / BATCHES)));
      }
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
  const seconds = (cpuMicros(server) - before) / 1e6;
  const found = await read(server, `view=logs&q=${orderOf(MINUTES * PER_MINUTE - 1)}`);
  if (found.rows.length !== 1) throw new Error(`The last log is in ${found.rows.length} rows.`);
  const { rows: metrics } = await read(server, "view=metrics");
  const newest = startedAt + (MINUTES - 1) * 60_000;
  const listed = metrics.filter((row: { last_at: number }) => row.last_at === newest);
  if (listed.length !== METRICS) throw new Error(`The last point is in ${listed.length} metrics.`);
  const lists = [];
  for (const list of LISTS) {
    const start = performance.now();
    await read(server, `view=${list}`);
    lists.push(performance.now() - start);
  }
  return [
    budgeted(BUDGETS.intakeCpu, seconds / (MINUTES * 60)),
    budgeted(BUDGETS.intakeFiles, fileBytes(server) / await keptBytes(server)),
    worst(BUDGETS.inboxQuery, ...lists),
  ];
}

async function post({ origin }: ServerProcess, signal: string, body: Uint8Array<ArrayBuffer>) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${origin}/v1/${signal}`, { method: "POST", headers, body });
  const outcome = response.headers.get("x-relay-outcome");
  const text = await response.text();
  if (outcome !== "stored") throw new Error(`${signal}: ${response.status} ${outcome} ${text}`);
}

async function read({ origin }: ServerProcess, query: string) {
  return await (await fetch(`${origin}/monitoring/inbox?${query}`)).json();
}

/** Bytes of the bodies that were not evicted. */
async function keptBytes(server: ServerProcess): Promise<number> {
  let [bytes, since] = [0, 0];
  while (true) {
    const { envelopes, cursor } = await read(server, `since=${since}`);
    if (envelopes.length === 0) return bytes;
    for (const envelope of envelopes) bytes += envelope.bytes;
    since = cursor;
  }
}

function fileBytes({ dataDir }: ServerProcess): number {
  return [...Deno.readDirSync(dataDir)].filter(({ name }) => /^inbox\.sqlite(-wal)?$/.test(name))
    .reduce((sum, { name }) => sum + Deno.statSync(`${dataDir}/${name}`).size, 0);
}

/** @param make returns the entry with a number, its time and a word that one span and one log have */
const entries = <T>(batch: number, make: (n: number, at: number, order: string) => T): T[] =>
  Array.from({ length: BATCH }, (_, i) => {
    const n = batch * BATCH + i;
    return make(n, startedAt + n * 60_000 / PER_MINUTE, orderOf(n));
  });
const orderOf = (n: number): string => `A${n}`;

/** Of a request and its queries. */
function spanOf(n: number, at: number, order: string) {
  const trace = Math.floor(n / SPANS_PER_TRACE);
  const isRoot = n % SPANS_PER_TRACE === 0;
  return {
    traceId: hexId(trace, 32),
    spanId: hexId(n, 16),
    ...!isRoot && { parentSpanId: hexId(trace * SPANS_PER_TRACE, 16) },
    name: isRoot ? "GET /orders/:id" : "SELECT shop.orders",
    kind: isRoot ? 2 : 3,
    startTimeUnixNano: nanoseconds(at),
    endTimeUnixNano: nanoseconds(at + n % 90),
    attributes: attributesOf(
      isRoot
        ? {
          "http.request.method": "GET",
          "http.route": "/orders/:id",
          "url.path": `/orders/${order}`,
          "http.response.status_code": n % 40 === 0 ? 500 : 200,
          "server.address": "shop.example",
          "user.id": `user-${Math.floor(n / BATCH) % 977}`,
        }
        : {
          "db.system.name": "postgresql",
          "db.query.text": "SELECT * FROM orders JOIN customers USING (customer) WHERE id = $1",
          "db.namespace": "shop",
          "db.response.returned_rows": n % BATCH,
          "order.id": order,
        },
    ),
  };
}

const logOf = (n: number, at: number, order: string) => ({
  timeUnixNano: nanoseconds(at),
  severityNumber: n % 50 === 0 ? 17 : 9,
  body: { stringValue: `Order ${order} was read in ${n % 90} ms` },
  traceId: hexId(Math.floor(n / SPANS_PER_TRACE), 32),
  attributes: attributesOf({
    "code.function.name": "readOrder",
    "thread.name": `worker-${n % 8}`,
  }),
});

/** A point of each series. */
function metricsOf(minute: number) {
  const at = {
    startTimeUnixNano: nanoseconds(startedAt),
    timeUnixNano: nanoseconds(startedAt + minute * 60_000),
  };
  const points = (make: (series: number) => object) =>
    Array.from({ length: SERIES_PER_METRIC }, (_, series) => ({
      ...at,
      attributes: attributesOf({ "http.route": `/route/${series}` }),
      ...make(series),
    }));
  const buckets = (series: number) => ({
    count: `${minute * 8}`,
    sum: minute * series * 8,
    explicitBounds: [5, 10, 25, 50, 100, 250, 500],
    bucketCounts: Array(8).fill(`${minute}`),
  });
  const data = { aggregationTemporality: 2, isMonotonic: true };
  return Array.from({ length: METRICS }, (_, n) => ({
    name: `shop.metric${n}`,
    ...n % 2 === 0
      ? { sum: { ...data, dataPoints: points((series) => ({ asInt: `${minute * series}` })) } }
      : { unit: "ms", histogram: { ...data, dataPoints: points(buckets) } },
  }));
}

/** The ten minutes end now. */
const startedAt = Date.now() - MINUTES * 60_000;

function attributesOf(values: Readonly<Record<string, string | number>>) {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === "string" ? { stringValue: value } : { intValue: `${value}` },
  }));
}
