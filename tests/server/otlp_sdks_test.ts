/** Applications with OpenTelemetry's SDKs send to the inbox. `tests/sdks/opentelemetry/` has application and exporters. */
import assert from "node:assert/strict";
import { isAvailable } from "../harness/is_available.ts";
import { runProgram } from "../harness/run_program.ts";
import { startServer } from "../harness/server_process.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { installOpenTelemetry, OPENTELEMETRY, openTelemetry } from "../sdks/installed.ts";

/** An application ends in some seconds; a busy machine takes longer. */
const TIMEOUT_MS = 60_000;

const server = await startServer();
Deno.test.afterAll(async () => void await server.stop());

/** Runs a program that sends as this service. Returns what it prints. */
async function run(service: string, command: readonly string[], { cwd = ".", env = {} } = {}) {
  const [program = "", ...args] = command;
  const { code, output } = await runProgram(program, args, {
    cwd,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    env: {
      OTEL_SERVICE_NAME: service,
      OTEL_EXPORTER_OTLP_ENDPOINT: server.origin,
      ...env,
    },
  });
  assert.equal(code, 0, output);
  return output;
}

// deno-lint-ignore no-explicit-any
async function rows(query: string): Promise<any[]> {
  return (await (await fetch(`${server.origin}/monitoring/inbox?${query}`)).json()).rows;
}

/** The key of the application with this name. */
const applicationNamed = async (name: string): Promise<string> =>
  (await rows("view=applications")).find((application) => application.name === name).key;

/** Encoding, and the versions of the exporters of traces and logs. */
const EXPORTERS = [
  ["proto", "0.301.1", "0.301.0"],
  ["http", "0.301.0", "0.301.0"],
  ["proto", "0.223.1", "0.223.1"],
] as const;
for (const [encoding, traces, logs] of EXPORTERS) {
  Deno.test({
    name: `exporter-trace-otlp-${encoding} ${traces} → trace, error and log`,
    ignore: !await isAvailable("node", "--version"),
    async fn() {
      await installOpenTelemetry();
      const service = `shop ${encoding} ${traces}`;
      const folders = [
        openTelemetry(`exporter-trace-otlp-${encoding}`, traces),
        openTelemetry("exporter-logs-otlp-proto", logs),
      ];
      const output = await run(service, ["node", `${OPENTELEMETRY}app.cjs`, ...folders]);
      assert.equal(output, "", "an exporter reports a failure");
      const application = encodeURIComponent(await applicationNamed(service));
      const [trace, ...others] = await rows(`view=traces&application=${application}`);
      assert.equal(others.length, 0);
      assert.equal(trace.name, "GET /orders/:id");
      assert.equal(trace.op, "http.server");
      assert.deepEqual([trace.spans, trace.errors, trace.logs], [2, 1, 1]);
      const [error] = await rows(`view=occurrences&trace=${trace.trace_id}`);
      assert.deepEqual([error.type, error.value], ["RangeError", "out of stock"]);
      const [log] = await rows(`view=logs&trace=${trace.trace_id}`);
      assert.deepEqual([log.level, log.body], ["warn", "stock is low"]);
      assert.deepEqual(await rows("view=refusals"), []);
    },
  });
}

const DENO_APP = `
console.log("%cred", "color:red");
console.error(new TypeError("from deno"));
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => new Response());
await fetch("http://127.0.0.1:" + server.addr.port + "/orders").then((response) => response.text());
await server.shutdown();`;
for (const protocol of ["http/protobuf", "http/json"]) {
  Deno.test(`OTEL_DENO=true, ${protocol} → its request is a trace, its console errors and logs`, async () => {
    using folder = temporaryFolder();
    await Deno.writeTextFile(`${folder.path}/app.ts`, DENO_APP);
    const service = `deno ${protocol}`;
    const env = { OTEL_DENO: "true", OTEL_EXPORTER_OTLP_PROTOCOL: protocol };
    const command = [Deno.execPath(), "run", "--allow-net", "app.ts"];
    await run(service, command, { cwd: folder.path, env });
    const application = encodeURIComponent(await applicationNamed(service));
    const [trace, ...others] = await rows(`view=traces&application=${application}`);
    assert.equal(others.length, 0);
    assert.equal(trace.spans, 2, "the span of the client and that of the server");
    const errors = await rows(`view=occurrences&application=${application}`);
    assert.deepEqual(errors.map(({ type, value }) => [type, value]), [["TypeError", "from deno"]]);
    const logs = await rows(`view=logs&application=${application}`);
    assert.ok(logs.some(({ body }) => body.trim() === "red"), JSON.stringify(logs));
    assert.ok(!JSON.stringify(logs).includes("\\u001b"), "colours are no text");
  });
}

Deno.test("recorded bytes of Python's SDK → its trace, its error once, its logs and metrics", async () => {
  for (const signal of ["traces", "logs", "metrics"]) {
    const response = await fetch(`${server.origin}/v1/${signal}`, {
      method: "POST",
      headers: { "content-type": "application/x-protobuf" },
      body: await Deno.readFile(`${OPENTELEMETRY}python/${signal}.bin`),
    });
    assert.deepEqual([response.status, (await response.bytes()).length], [200, 0], signal);
  }
  const application = await applicationNamed("orders-py");
  const read = (view: string) =>
    rows(`view=${view}&application=${encodeURIComponent(application)}`);
  const [sender] = (await rows("view=applications")).filter(({ key }) => key === application);
  assert.deepEqual([sender.environment, sender.side, sender.releases], ["staging", "server", [
    "4.1",
  ]]);
  const [trace, ...traces] = await read("traces");
  assert.deepEqual(traces, []);
  assert.deepEqual([trace.name, trace.op, trace.http_status, trace.failed], [
    "GET /orders/{id}",
    "http.server",
    500,
    true,
  ]);
  assert.deepEqual([trace.spans, trace.errors, trace.logs], [3, 1, 2]);
  const errors = await read("occurrences");
  assert.deepEqual(errors.map(({ type, value, where }) => [type, value, where]), [
    ["ValueError", "card of order 4719-0815 expired", "charge (/app/orders.py)"],
  ], "an event of a span, and a log record");
  const [failed, loaded, ...logs] = await read("logs");
  assert.deepEqual(logs, []);
  assert.deepEqual([failed.level, failed.body], ["error", "order 4719-0815 not charged"]);
  assert.deepEqual([loaded.level, loaded.body], ["warn", "order 4719-0815 loaded"]);
  const { order_id, items, total, gift } = loaded.attributes;
  assert.deepEqual([order_id, items, total, gift], ["4719-0815", "[1,2]", 12.5, false]);
  const metrics = await read("metrics");
  assert.deepEqual(metrics.map(({ name, kind, show, value }) => [name, kind, show, value]), [
    ["queue.size", "updown", "last", 3],
    ["orders.created", "counter", "sum", 3],
    ["checkout.duration", "histogram", "avg", (3 + 9 + 9 + 700) / 4],
  ]);
  const [query] = await read("queries");
  assert.equal(query.statement, "SELECT 1 FROM orders");
  for (const q of ["order_id:4719-0815", '"4719-0815"', "http.status_code:500"]) {
    const found = await rows(`view=traces&q=${encodeURIComponent(q)}`);
    assert.deepEqual(found.map(({ trace_id }) => trace_id), [trace.trace_id], q);
  }
});
