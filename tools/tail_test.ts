import assert from "node:assert/strict";
import { zstdCompressSync } from "node:zlib";
import { envelopeOf, hexId } from "../monitoring/inbox/testdata/envelopes.ts";
import { span, tracesJson } from "../tests/harness/otlp_bodies.ts";
import { startServer } from "../tests/harness/server_process.ts";
import { findStablePort } from "../tests/harness/stable_port.ts";
import { temporaryFolder } from "../tests/harness/temporary_folder.ts";
import { until } from "../tests/harness/until.ts";

/** `deno task tail`, with the permissions of the task. */
function startTail(args: readonly string[], env: Record<string, string> = {}) {
  const { tasks } = JSON.parse(Deno.readTextFileSync(new URL("../deno.json", import.meta.url)));
  const command: string[] = tasks.tail.command.split(" ").slice(1);
  const child = new Deno.Command(Deno.execPath(), {
    args: [...command, ...args],
    cwd: new URL("../", import.meta.url),
    env: { NO_COLOR: "", PORT: "", HOST: "", INBOX_TOKEN: "", ...env },
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const outputs = [child.stdout, child.stderr].map((stream) => ({ stream, text: "" }));
  const ended = Promise.all(outputs.map(async (output) => {
    for await (const chunk of output.stream.pipeThrough(new TextDecoderStream())) {
      output.text += chunk;
    }
  }));
  const [out, error] = outputs as [typeof outputs[0], typeof outputs[0]];
  return {
    out: () => out.text,
    error: () => error.text,
    printed: (read: () => string, pattern: RegExp) =>
      until(`it prints ${pattern}`, () => pattern.test(read())),
    async end(signal?: Deno.Signal): Promise<number> {
      if (signal !== undefined) child.kill(signal);
      const { code } = await child.status;
      await ended;
      return code;
    },
  };
}

async function post(origin: string, n: number, encoding?: "zstd"): Promise<void> {
  const header = { dsn: "https://inbox@sightglass.invalid/1", event_id: hexId(n) };
  const event = { event_id: hexId(n), message: `\x1b[2Jno. ${n}`, timestamp: Date.now() / 1000 };
  const bytes = envelopeOf(header, ["event", event]);
  const response = await fetch(`${origin}/monitoring`, {
    method: "POST",
    body: encoding === undefined ? bytes : new Uint8Array(zstdCompressSync(bytes)),
    headers: encoding === undefined ? {} : { "Content-Encoding": encoding },
  });
  assert.equal(response.status, 200, await response.text());
}

async function postOtlp(origin: string): Promise<void> {
  const body = tracesJson([span()], "py-api");
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${origin}/v1/traces`, { method: "POST", body, headers });
  assert.equal(await response.text(), "{}");
}

/** What a collector sends: metrics of two applications in one request. */
async function postMetrics(origin: string): Promise<void> {
  const metrics = ["queue", "orders"].map((name) => ({
    name,
    gauge: { dataPoints: [{ timeUnixNano: `${Date.now()}000000`, asInt: "3" }] },
  }));
  const resourceMetrics = [["cart", 1], ["pay", 2]].map(([value, count]) => ({
    resource: { attributes: [{ key: "service.name", value: { stringValue: value } }] },
    scopeMetrics: [{ metrics: metrics.slice(0, count as number) }],
  }));
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ resourceMetrics });
  const response = await fetch(`${origin}/v1/metrics`, { method: "POST", body, headers });
  assert.equal(await response.text(), "{}");
}

Deno.test("tail of a server that restarts → each new error and trace once, ended by a signal", async () => {
  using folder = temporaryFolder();
  const env = { INBOX_TOKEN: "s3cret-of-a-server", PORT: `${findStablePort()}` };
  const first = await startServer({ dataDir: folder.path, env });
  const { origin } = first;
  await post(origin, 1);
  const tail = startTail([`--url=${origin}`], env);
  const json = startTail(["--json", "--all"], env);
  for (const { printed, error } of [tail, json]) await printed(error, /^Following /);
  await post(origin, 2);
  // The first end counts: a second one is no news.
  for (const status of ["in_progress", "ok", "error"]) {
    const checkIn = { check_in_id: hexId(1), monitor_slug: "nightly", status };
    const body = envelopeOf({ dsn: "https://inbox@sightglass.invalid/1" }, ["check_in", checkIn]);
    await (await fetch(`${origin}/monitoring`, { method: "POST", body })).text();
    await tail.printed(tail.out, status === "in_progress" ? /y running/ : /y ok/);
  }
  await postOtlp(origin);
  await postMetrics(origin);
  await tail.printed(tail.out, /pay \d/);
  await post(origin, 3, "zstd");
  await tail.printed(tail.out, /no\. 3/);
  await first.stop();
  await tail.printed(tail.error, /is lost\. Waiting for the server\.\n/);
  const second = await startServer({ dataDir: folder.path, env });
  try {
    await tail.printed(tail.error, /Connected again\.\n/);
    await post(origin, 4);
    for (const { printed, out } of [tail, json]) await printed(out, /no\. 4/);
  } finally {
    assert.equal(await tail.end("SIGTERM"), 0);
    assert.equal(await json.end("SIGINT"), 0);
    await second.stop();
  }
  const lines = tail.out().trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => /no\. (\d)|GET \/orders|nightly \w+|(cart|pay) \d.*/.exec(line)?.[0]),
    [
      ...["no. 2", "nightly running", "nightly ok", "GET /orders"],
      ...["cart 1 point of 1 metric  queue", "pay 2 points of 2 metrics  queue, orders"],
      ...["no. 3", "no. 4"],
    ],
    "none of its own",
  );
  assert.match(lines[0]!, /^\d\d:\d\d:\d\d\.\d{3} ERROR {3}unknown Message: \ufffd\[2Jno\. 2$/);
  const rows = json.out().trimEnd().split("\n").map((line) => JSON.parse(line));
  const errors = rows.filter(({ kind }) => kind === "error");
  assert.deepEqual(errors.map(({ event_id }) => event_id), [2, 3, 4].map(hexId));
  const own = rows.filter(({ application }) => application === "sightglass");
  assert.ok(own.some(({ body }) => body === "The server has started"), "with --all");
});

Deno.test({
  name: "the reader of the output has ended → ends with 0 and no error",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using server = await startServer();
    const command =
      `"$0" run --no-prompt --allow-net --allow-env tools/tail.ts errors --url="$1" | head -1`;
    const shell = new Deno.Command("bash", {
      args: ["-c", `${command}; echo "codes \${PIPESTATUS[0]}"`, Deno.execPath(), server.origin],
      cwd: new URL("../", import.meta.url),
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const output = shell.output();
    let hasEnded = false;
    output.then(() => hasEnded = true);
    let posted = 0;
    try {
      await until("tail has ended", async () => {
        await post(server.origin, ++posted);
        return hasEnded;
      });
    } finally {
      if (!hasEnded) shell.kill();
    }
    const { stdout, stderr } = await output;
    const decoder = new TextDecoder();
    assert.match(decoder.decode(stdout), /^[^\n]*no\. \d+\ncodes 0\n$/);
    assert.match(decoder.decode(stderr), /^Following [^\n]*\n$/);
  },
});

Deno.test("nothing to follow → one line with what to do, code 1", async () => {
  await using relay = await startServer({ env: { SENTRY_DSN: "http://key@127.0.0.1:9/1" } });
  await using closed = await startServer({ env: { INBOX_TOKEN: "s3cret-of-a-server" } });
  const cases: [string, RegExp][] = [
    ["--url=http://127.0.0.1:9", /no server answers at http:\/\/127\.0\.0\.1:9\./],
    [`--url=${relay.origin}`, /404\. There is no inbox in relay mode/],
    [`--url=${closed.origin}`, /403\. .*INBOX_TOKEN/],
    ["--url=glass.example:80", /--url is not an http or https address\. Use: deno task tail/],
    ["log", /"log"\. Use: deno task tail/],
    ["--log", /Unknown option '--log'\. Use: deno task tail/],
  ];
  for (const [arg, message] of cases) {
    const tail = startTail([arg]);
    assert.equal(await tail.end(), 1, arg);
    assert.match(tail.error(), message);
    assert.equal(tail.error().split("\n").length, 2, "one line");
  }
});
