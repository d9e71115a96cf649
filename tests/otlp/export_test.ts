import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ServerProcess } from "../harness/server_process.ts";
import { recorded } from "../../monitoring/inbox/testdata/envelopes.ts";
import { answers, startStandInIngest } from "../harness/stand_in_ingest.ts";
import { postTo, startRelaying } from "../harness/relaying_server.ts";
import { stopInTime } from "../harness/stop_in_time.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { until } from "../harness/until.ts";
import { plain, startOtlpReceiver } from "./receiver.ts";

const TRACE = "bf12261196034272b1f0fa81186c72c4";

const post = async (server: ServerProcess, body: Uint8Array<ArrayBuffer>, headers = {}) => {
  const response = await postTo(server, body, headers);
  await response.text();
  return { status: response.status, outcome: response.headers.get("x-relay-outcome") };
};

const gzip = async (bytes: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(
    await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip")))
      .arrayBuffer(),
  );

const records = async (origin: string, outcome: string) => {
  const text = await (await fetch(`${origin}/monitoring/metrics`)).text();
  return Number(new RegExp(`otlp_records_total{outcome="${outcome}"} (\\d+)`).exec(text)![1]);
};

Deno.test("OTLP_URL, collector answers 503 first → spans and logs arrive once, spooled ones too", async () => {
  await using collector = startOtlpReceiver();
  await using ingest = startStandInIngest();
  await using server = await startRelaying(ingest, {
    env: {
      OTLP_URL: `${collector.origin}/`,
      OTLP_HEADERS: "Authorization=Bearer%20secret,X-Tenant=a",
    },
  });
  let refusals = 1;
  collector.respondWith(() =>
    refusals-- > 0 ? new Response(null, { status: 503 }) : new Response("{}")
  );
  assert.equal(
    (await post(server, await gzip(recorded("span")), { "Content-Encoding": "gzip" }))
      .outcome,
    "delivered",
  );
  // A duplicate is not a second span.
  assert.equal((await post(server, recorded("span"))).outcome, "duplicate");
  ingest.behave(answers(500));
  assert.equal((await post(server, recorded("log"))).outcome, "spooled");
  const testSpans = () => collector.spans.filter(({ traceId }) => traceId === TRACE);
  const testLogs = () =>
    collector.logs.filter(({ resource }) => resource["service.version"] === "recorded@1.0.0");
  await until("spans and logs arrive", () => testSpans().length >= 2 && testLogs().length >= 1);
  assert.deepEqual(collector.invalid, []);
  assert.equal(testSpans().length, 2);
  assert.equal(plain(testSpans()[0]!.attributes)["sentry.op"], "function");
  // The server's own telemetry, too.
  await until(
    "the server's log arrives",
    () =>
      collector.logs.some(({ body }) =>
        "stringValue" in body && body.stringValue === "The server has started"
      ),
  );
  const [first] = collector.requests;
  assert.equal(first!.get("authorization"), "Bearer secret");
  assert.equal(first!.get("x-tenant"), "a");
  await until(
    "all are counted",
    async () =>
      await records(server.origin, "exported") === collector.spans.length + collector.logs.length,
  );
  assert.equal(await records(server.origin, "dropped"), 0);
});

Deno.test("OTLP_URL, collector refuses or is down → envelopes delivered, copies counted as dropped", async () => {
  await using ingest = startStandInIngest();
  const collector = startOtlpReceiver();
  await using server = await startRelaying(ingest, { env: { OTLP_URL: collector.origin } });
  collector.respondWith(() => new Response(null, { status: 400 }));
  assert.equal((await post(server, recorded("span"))).outcome, "delivered");
  await until("the spans are dropped", async () => await records(server.origin, "dropped") >= 2);
  assert.match(server.output(), /Cannot send spans and logs to OTLP_URL .*it answered 400/);
  await collector[Symbol.asyncDispose]();
  assert.equal((await post(server, recorded("log"))).outcome, "delivered");
  await stopInTime(server);
});

Deno.test("collector does not answer while the server stops → spool is closed", async () => {
  using folder = temporaryFolder();
  await using collector = startOtlpReceiver();
  await using ingest = startStandInIngest();
  await using server = await startRelaying(ingest, {
    dataDir: folder.path,
    env: { OTLP_URL: collector.origin },
  });
  const { promise: stopped, resolve: stop } = Promise.withResolvers<Response>();
  collector.respondWith(() => stopped);
  ingest.behave(answers(500));
  assert.equal((await post(server, recorded("log"))).outcome, "spooled");
  // SQLite deletes this file when the database is closed.
  const wal = join(folder.path, "spool.sqlite-wal");
  assert.ok(existsSync(wal));
  await stopInTime(server);
  stop(new Response("{}"));
  assert.ok(!existsSync(wal));
});
