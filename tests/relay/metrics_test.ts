/** The relay's metrics, by OTLP and for Prometheus. */
import assert from "node:assert/strict";
import { until } from "../harness/until.ts";
import { answers, closes, startStandInIngest, takes } from "../harness/stand_in_ingest.ts";
import { fresh } from "./_start_relay.ts";
import { postTo, startRelaying } from "../harness/relaying_server.ts";

/** A data point in OTLP/JSON, with its metric's unit. */
interface Point {
  readonly unit: string;
  readonly asDouble?: number;
  readonly count?: string;
  readonly sum?: number;
}

/** An OTLP/HTTP receiver on a free port. Has the newest points by name and attributes: `a.b{outcome=delivered}`. */
function startReceiver() {
  const points: Record<string, Point> = {};
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { resourceMetrics = [] } = await request.json();
    for (const { scope, metrics } of resourceMetrics.flatMap(scopesOf)) {
      if (scope.name !== "sightglass") continue;
      for (const { name, unit, sum, gauge, histogram } of metrics) {
        for (const point of (sum ?? gauge ?? histogram).dataPoints) {
          const attributes = point.attributes.map(labelOf).sort().join();
          points[`${name}{${attributes}}`] = { ...point, unit };
        }
      }
    }
    return Response.json({});
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    points,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

// deno-lint-ignore no-explicit-any
const scopesOf = ({ scopeMetrics }: any): any[] => scopeMetrics;
const labelOf = ({ key, value }: { key: string; value: { stringValue?: string } }) =>
  `${key}=${value.stringValue}`;

Deno.test("OTEL_DENO → outcomes, reasons, bytes, spool and latency are exported", async () => {
  await using otlp = startReceiver();
  await using ingest = startStandInIngest();
  ingest.behave((request) =>
    request.text.includes("broken")
      ? closes
      : request.text.includes("unwanted")
      ? answers(422)
      : takes()
  );
  await using server = await startRelaying(ingest, {
    env: {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_ENDPOINT: otlp.origin,
      OTEL_METRIC_EXPORT_INTERVAL: "100",
    },
  });
  const post = async (body: BodyInit) => {
    const response = await postTo(server, body);
    await response.arrayBuffer();
    return response.status;
  };
  assert.equal(await post(fresh()), 200);
  assert.equal(await post(fresh([[{ type: "event" }, '"unwanted"']])), 422);
  assert.equal(await post("not an envelope"), 400);
  assert.equal(await post("not an envelope either"), 400);
  assert.equal(await post(fresh([[{ type: "event" }, '"broken"']])), 202);

  const valueOf = (name: string) => otlp.points[`sightglass.${name}`]?.asDouble ?? NaN;
  await until(
    "the spooled envelope is exported",
    () => valueOf("relay.envelopes{outcome=spooled}") === 1 && valueOf("spool.pending{}") === 1,
  );
  // Includes the server's own telemetry.
  assert.ok(valueOf("relay.envelopes{outcome=delivered}") >= 1);
  assert.equal(valueOf("relay.envelopes{outcome=rejected,reason=ingest}"), 1);
  assert.equal(valueOf("relay.envelopes{outcome=rejected,reason=envelope_malformed}"), 2);
  assert.ok(valueOf("relay.received{}") > 300);
  assert.ok(valueOf("relay.in_flight{}") >= 0);
  assert.ok(valueOf("spool.size{}") > 100);
  assert.ok(valueOf("spool.oldest_age{}") >= 0);
  const [decided, undecided] = ["decided", "undecided"].map((outcome) =>
    otlp.points[`sightglass.relay.upstream.duration{outcome=${outcome}}`]!
  );
  assert.equal(decided!.unit, "s");
  assert.ok(Number(decided!.count) >= 2 && Number(undecided!.count) >= 1);
  assert.ok(decided!.sum! > 0 && decided!.sum! < 60, `${decided!.sum} s`);

  const scraped = await scrape(server.origin);
  assert.equal(scraped.get('sightglass_envelopes_total{outcome="rejected",reason="ingest"}'), 1);
  assert.equal(
    scraped.get('sightglass_envelopes_total{outcome="rejected",reason="envelope_malformed"}'),
    2,
  );
  assert.equal(scraped.get('sightglass_items_total{category="error",outcome="spooled"}'), 1);
  assert.equal(scraped.get('sightglass_items_total{category="error",outcome="rejected"}'), 1);
  assert.equal(scraped.get("sightglass_spool_envelopes"), 1);
  assert.equal(scraped.get("sightglass_healthy"), 1);
  assert.ok(scraped.get("sightglass_received_bytes_total")! > 300);
  const attempts = 'sightglass_upstream_duration_seconds_count{outcome="decided"}';
  assert.ok(scraped.get(attempts)! >= 2);
  const below = scraped.get(
    'sightglass_upstream_duration_seconds_bucket{le="30",outcome="decided"}',
  );
  assert.equal(below, scraped.get(attempts));
  assert.ok(scraped.get("process_cpu_seconds_total")! > 0.01);
  assert.ok(scraped.get("process_resident_memory_bytes")! > 20_000_000);
  const age = Date.now() / 1000 - scraped.get("process_start_time_seconds")!;
  assert.ok(age > 0 && age < 600, `${age} s`);

  // Delivered from the spool.
  ingest.behave(takes());
  const delivered = 'sightglass_items_total{category="error",outcome="delivered"}';
  const before = scraped.get(delivered)!;
  await until(
    "the spool is empty",
    async () => (await scrape(server.origin)).get(delivered)! > before,
  );
});

/** The samples of `GET /monitoring/metrics`. Fails for lines that are not of the text format. */
async function scrape(origin: string): Promise<Map<string, number>> {
  const response = await fetch(`${origin}/monitoring/metrics`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type")!, /^text\/plain; version=0\.0\.4/);
  const samples = new Map<string, number>();
  let family = "";
  for (const line of (await response.text()).split("\n")) {
    if (line === "") continue;
    family = /^# TYPE (\w+) (?:counter|gauge|histogram)$/.exec(line)?.[1] ?? family;
    if (/^# (?:HELP \w+ .+|TYPE .+)$/.test(line)) continue;
    const [, name, labels = "", value] =
      /^([a-z_]+)((?:\{(?:[a-z]+="[^"\\\n]*",?)+\})?) ([\d.e+-]+)$/.exec(line) ?? assert.fail(line);
    assert.ok(name!.startsWith(family), `${line} is in ${family}`);
    assert.ok(!samples.has(name! + labels), `repeated: ${line}`);
    samples.set(name! + labels, Number(value));
  }
  return samples;
}
