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
