/** The commands of the npm package, in a project of a user. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Client as NewClient } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/client/stdio"
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { filesBelow, NpmPackage, userIn } from "../harness/npm_package.ts";
import { findStablePort } from "../harness/stable_port.ts";
import { isAvailable } from "../harness/is_available.ts";
import { runProgram } from "../harness/run_program.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { until } from "../harness/until.ts";
import { watchProcess } from "../harness/watched_process.ts";
import { installSdks, modulesOf } from "../sdks/installed.ts";
import { VIEWS } from "../../tools/tail_rows.ts";
import project from "../../deno.json" with { type: "json" };

const folder = temporaryFolder();
const sightglass = await NpmPackage.unpack(folder.path);
const ignore = Deno.build.os !== "linux" || !await isAvailable("node", "--version");

Deno.test.afterAll(() => folder[Symbol.dispose]());

/** A Node application of a new user: an SDK that is given nothing. */
async function writeApp(): Promise<void> {
  await installSdks();
  const sdk = join(modulesOf("@sentry/node", "11.12.0"), "@sentry/node");
  await Deno.writeTextFile(
    join(sightglass.project, "package.json"),
    '{"name":"@acme/shop","version":"\\u0000"}',
  );
  await Deno.writeTextFile(
    join(sightglass.project, "app.cjs"),
    `const Sentry = require(${JSON.stringify(sdk)});
    Sentry.init();
    Sentry.startSpan({ name: "GET /cart", op: "http.server" }, () =>
      Sentry.captureException(new TypeError("cart is undefined")));
    const end = async (code) => process.exit(await Sentry.close(20_000) ? code : 1);
    process.on("SIGINT", () => { console.log("app: SIGINT"); end(4); });
    setInterval(() => {}, 1_000);
    require("node:fs").writeFileSync("started", "");
    console.log("app: " + ["PORT", "DENO_DIR", "DATA_DIR", "OTEL_SERVICE_NAME"]
      .map((name) => process.env[name]).concat(process.argv[3]));
    if (process.argv[2] === "end") end(3);`,
  );
}

/** Undefined: the port is in use. */
function listenOn8000(): Deno.Listener | undefined {
  try {
    return Deno.listen({ hostname: "127.0.0.1", port: 8000 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AddrInUse)) throw error;
  }
}

/** Rows of a list of the inbox. */
// deno-lint-ignore no-explicit-any
const rowsOf = async (origin: string, view: string): Promise<any[]> =>
  (await (await fetch(`${origin}/monitoring/inbox?view=${view}&application=apps`)).json()).rows;

Deno.test({
  name: "run, no server → one for the command alone; its exit code, what arrived, nothing is left",
  ignore,
  async fn() {
    await writeApp();
    // The server must not use the application's variables.
    const env = { PORT: "1", DATABASE_URL: "postgres://app@db.example/shop", DENO_DIR: "/own" };
    const preload = "data:text/javascript,console.log('preloaded')";
    const args = ["run", "--port=0", "node", "app.cjs", "end", "--port=1"];
    const { code, text } = await sightglass.run(args, {
      ...env,
      NODE_OPTIONS: `--import=${preload}`,
    });
    assert.equal(code, 3, text);
    // By Node for the command itself, and for the program; not by Deno.
    assert.equal(text.match(/^preloaded$/gm)?.length, 2, text);
    assert.match(text, /^app: 1,\/own,,shop,--port=1$/m);
    const [, address = ""] = /^Sightglass: (http:\/\/127\.0\.0\.1:\d+\/) shows/m.exec(text) ?? [];
    const received =
      /^Sightglass received 1 error and 1 trace, the slowest "GET \/cart" \(.*\): npx/m;
    assert.match(text, received);
    await assert.rejects(fetch(new URL(address)), /fetch failed/);
    assert.deepEqual(filesBelow(sightglass.project), ["app.cjs", "package.json", "started"]);
  },
});

Deno.test({
  name: "run, port 8000 taken, a Deno program without an SDK → its request is a trace",
  ignore,
  async fn() {
    using listener = listenOn8000();
    // Another program of this machine has the port, perhaps a Sightglass.
    if (listener === undefined) return;
    await Deno.writeTextFile(
      join(sightglass.project, "request.ts"),
      `const { origin } = new URL(Deno.env.get("OTEL_EXPORTER_OTLP_ENDPOINT")!);
      const { status } = await fetch(origin + "/monitoring");
      console.log([status, origin, Deno.env.get("SENTRY_DSN"), Deno.env.get("SENTRY_RELEASE")].join());`,
    );
    const command = ["--", Deno.execPath(), "run", "-A", "request.ts"];
    const { code, text } = await sightglass.run(["run", ...command], { SENTRY_DSN: "own" });
    assert.equal(code, 0, text);
    assert.match(text, /^200,http:\/\/127\.0\.0\.1:(?!8000\b)\d+,own,$/m);
    assert.match(text, /^Sightglass received 0 errors and 1 trace, the slowest "GET/m);
  },
});

Deno.test({
  name: "run, SIGINT → the command ends, then its server; a server that ran continues",
  ignore,
  async fn() {
    await writeApp();
    const port = `${findStablePort()}`;
    const args = ["run", `--port=${port}`, "node", "app.cjs"];
    const origin = `http://127.0.0.1:${port}`;
    {
      await using run = sightglass.start(args);
      await run.printed(/^app: /m);
      await run.endsAfter("SIGINT", 0);
      assert.equal((await run.closed).code, 4);
      assert.equal(run.text().match(/app: SIGINT/g)?.length, 1);
      assert.match(run.text(), /received 1 error/);
      await assert.rejects(fetch(origin));
    }
    await using server = sightglass.start([`--port=${port}`], { PORT: "1" });
    await server.printed(/Listening on/);
    const { code, text } = await sightglass.run([...args, "end"]);
    assert.equal(code, 3, text);
    assert.match(text, new RegExp(`^Sightglass received .*: ${origin}/$`, "m"));
    const errors = await rowsOf(origin, "errors");
    assert.deepEqual(errors.map(({ type, count }) => [type, count]), [["TypeError", 3]]);

    const second = await sightglass.run(["serve", `--port=${port}`]);
    assert.equal(second.code, 1);
    assert.match(second.text, new RegExp(`^Sightglass runs already: open ${origin}/, or`, "m"));
    await using tail = sightglass.start(["tail", "errors", `--port=${port}`]);
    await tail.printed(/Following errors/);
    await sightglass.run([...args, "end"]);
    await tail.printed(/ERROR +shop TypeError: cart is undefined/);
    // The command itself, killed: its programs notice that.
    await tail.endsAfter("SIGKILL", 0);
    await server.endsAfter("SIGKILL", 0);
  },
});

Deno.test({
  name: "run, broken files of a project, also above the package → the folder's name",
  ignore,
  async fn() {
    const above = join(folder.path, "deno.json");
    await Deno.writeTextFile(above, "{");
    const port = `--port=${findStablePort()}`;
    await using server = sightglass.start([port]);
    await server.printed(/Listening on/);
    const make = [
      "printf '{' >package.json",
      "mkfifo package.json",
      "truncate -s 100M package.json",
      `printf '{"name":"%0200000d"}' 1 >package.json`,
      "mkdir package.json",
    ];
    for (const script of make) {
      await runProgram("sh", ["-c", `rm -f package.json; ${script}`], { cwd: sightglass.project });
      const { text } = await sightglass.run(["run", port, "sh", "-c", "echo $OTEL_SERVICE_NAME"]);
      assert.match(text, /^project$/m);
    }
    for (const path of [above, join(sightglass.project, "package.json")]) await Deno.remove(path);
  },
});

Deno.test({
  name: "run, asked to stop, or killed → nothing is left running",
  ignore,
  async fn() {
    // The shell passes no signal on; neither does it wait.
    const below = "(echo ready; exec sleep 1000); true";
    const stubborn =
      "trap '' HUP INT TERM; sleep 1000 & echo ready; while sleep 0.1; do sleep 1000 & done";
    const scripts = { dev: below, stubborn: `(${stubborn}); true` };
    await Deno.writeTextFile(join(sightglass.project, "package.json"), JSON.stringify({ scripts }));
    const cases: [Deno.Signal, string[]][] = [
      ["SIGTERM", ["sh", "-c", stubborn]],
      ["SIGHUP", ["sh", "-c", below]],
      ["SIGTERM", ["npm", "run", "dev"]],
      ["SIGKILL", ["npm", "run", "stubborn"]],
    ];
    await Promise.all(cases.map(async ([signal, command]) => {
      await using run = sightglass.start(["run", "--port=0", ...command]);
      await run.printed(/^ready$/m);
      await run.endsAfter(signal, 0);
    }));
  },
});

Deno.test({
  name: "several run, at one moment → one server, until the last of them has ended",
  ignore,
  async fn() {
    const port = findStablePort();
    const start = () =>
      sightglass.start(["run", `--port=${port}`, "sh", "-c", "echo ready; exec sleep 1000"]);
    await using first = start();
    await using second = start();
    const answers = async () => (await fetch(`http://127.0.0.1:${port}/monitoring`)).ok;
    for (const run of [first, second]) await run.printed(/^ready$/m);
    await first.endsAfter("SIGTERM", 0);
    await until("the server is there", () => answers().catch(() => false));
    await using third = start();
    await third.printed(/^ready$/m);
    await second.endsAfter("SIGTERM", 0);
    await until("the server is there", () => answers().catch(() => false));
    await third.endsAfter("SIGTERM", 0);
    await assert.rejects(answers());
    for (const { text } of [first, second, third]) {
      assert.match(text(), /^Sightglass: .*\nready\nSightglass received .*\n$/);
    }
  },
});

Deno.test({
  name: "run or serve, another program at the port → one line that names --port",
  ignore,
  async fn() {
    const requests: string[] = [];
    await using other = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
      requests.push(url);
      return new Response(null, { status: 404 });
    });
    const { port } = other.addr;
    const line =
      `Cannot listen on http://127.0.0.1:${port}/: the port is in use, use another --port.`;
    for (const args of [["run", `--port=${port}`, "true"], [`--port=${port}`]]) {
      assert.deepEqual(await sightglass.run(args), { code: 1, text: `${line}\n` });
    }
    // It was asked whether it is one of these.
    assert.ok(requests.length >= 3, `${requests.length}`);
  },
});

Deno.test({
  name: "run in a terminal, Ctrl+C → one SIGINT for the command, then its server ends",
  ignore: ignore || !await isAvailable("script", "--version"),
  async fn() {
    await writeApp();
    const origin = `http://127.0.0.1:${findStablePort()}`;
    // Some shells end with 130 after SIGINT, whatever the code of their command.
    const command = `exec node ${sightglass.bin} run --port=${new URL(origin).port} node app.cjs`;
    const type = "rm -f started; until [ -e started ]; do sleep 0.1; done; printf '\\003'";
    await using terminal = watchProcess(
      ["-c", `{ ${type}; } | script -qefc "${command}" /dev/null`],
      { program: "sh", cwd: sightglass.project, env: userIn(folder.path) },
    );
    assert.equal((await terminal.closed).code, 4, terminal.text());
    assert.equal(terminal.text().match(/app: SIGINT/g)?.length, 1);
    assert.match(terminal.text(), /received 1 error/);
    await assert.rejects(fetch(origin));
  },
});

Deno.test({
  name: "relay mode, two processes → spools while the ingest is down; no application can use it",
  ignore,
  async fn() {
    const dsn = `http://key@127.0.0.1:${findStablePort()}/1`;
    const data = join(folder.path, "relay");
    const flags = ["--workers", "2", `--sentry-dsn=${dsn}`, "--host=127.0.0.1", "--port=0"];
    await using relay = sightglass.start([...flags, `--data-dir=${data}`]);
    const address = await relay.printed(/Listening on (\S+)/);
    const body = `{"dsn":"${dsn}"}\n{"type":"event"}\n{"message":"spooled"}\n`;
    const { status } = await fetch(`${address}monitoring`, { method: "POST", body });
    assert.equal(status, 202);
    const run = await sightglass.run(["run", `--port=${new URL(address).port}`, "true"]);
    assert.match(
      run.text,
      /^Cannot run: http.* is in relay mode, without an inbox\. Use another --port/,
    );
    assert.equal(run.code, 1);
    await relay.endsAfter("SIGTERM", 0);
    assert.ok(filesBelow(data).includes("spool.sqlite"));
  },
});

Deno.test({
  name: "mcp, clients of both forms → the tools of the server, which ends with the input",
  ignore,
  async fn() {
    const port = findStablePort();
    const parameters = {
      command: "node",
      args: [sightglass.bin, "mcp", `--port=${port}`],
      env: { ...userIn(folder.path), PATH: Deno.env.get("PATH") ?? "" },
      cwd: sightglass.project,
    };
    const info = { name: "test", version: "1" };
    const modern = new NewClient(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
    await modern.connect(new StdioClientTransport(parameters));
    const old = new OldClient(info);
    await old.connect(new OldTransport(parameters));
    for (const client of [modern, old]) {
      const { tools } = await client.listTools();
      assert.ok(tools.some(({ name }: { name: string }) => name === "list_errors"));
      const { content } = await client.callTool({ name: "get_delivery_health", arguments: {} });
      assert.match(JSON.stringify(content), /is_healthy/);
    }
    // The first one has started the server.
    await modern.close();
    const { isError } = await old.callTool({ name: "list_errors", arguments: {} });
    assert.ok(!isError);
    await old.close();
    await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
  },
});

Deno.test({
  name: "--version, --help, wrong arguments → one line each, or the flags of all variables",
  ignore,
  async fn() {
    assert.deepEqual(await sightglass.run(["--version"]), {
      code: 0,
      text: `${project.version}\n`,
    });
    const help = await sightglass.run(["--help"]);
    assert.match(
      help.text,
      /npx sightglass run -- COMMAND[^]*--data-dir\n {6}SQLite files[^]*user's data folder/,
    );
    assert.doesNotMatch(help.text, /[,;] \(default/);
    assert.ok(help.text.includes(VIEWS.join("|")), "what tail prints");
    const wrong: [string[], RegExp][] = [
      [["server"], /^Cannot run "server"\. See: npx sightglass --help\n$/],
      [["--colour"], /^Cannot run "--colour"\. See: npx sightglass --help\n$/],
      [["--port=many"], /^Cannot start: PORT is "many"\. Use .*\n$/],
      [["run"], /^Cannot run: no command is given\. Use: npx sightglass run -- COMMAND\n$/],
      [
        ["--port=0", "--data-dir=/proc/data"],
        /^Cannot open the inbox: .* \(no folder .*\)\. Set .*\n$/,
      ],
      [["run", "--colour", "sh"], /^Cannot run "--colour"\. See: .*\n$/],
      [
        ["run", "--host=203.0.113.1", "sh"],
        /^Cannot listen on .*: HOST is not this machine's\.\n$/,
      ],
      [["mcp", "errors"], /^Cannot run "errors"\. See: .*\n$/],
      [["run", "--sentry-dsn=http://key@127.0.0.1:1/1", "sh"], /^Cannot run: .* relay mode.*\n$/],
      [["sourcemaps"], /^Cannot upload source maps: .* Use: npx sightglass sourcemaps --to/],
    ];
    for (const [args, line] of wrong) {
      const { code, text } = await sightglass.run(args);
      assert.notEqual(code, 0);
      assert.match(text, line);
    }
  },
});
