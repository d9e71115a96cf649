/** Runs the snippets that the page shows under "Connect your application", as a user would. */
import assert from "node:assert/strict";
import { inboxAddress, remoteDsn, SNIPPETS } from "../../islands/overview/snippets.ts";
import { projectRoot } from "../../tools/project_files.ts";
import { startServer } from "../harness/server_process.ts";
import { installSdks, modulesOf } from "../sdks/installed.ts";
import { isAvailable } from "../harness/is_available.ts";
import { runProgram } from "../harness/run_program.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { outsideAddress } from "./_outside_address.ts";

/** An SDK starts in a second; a busy machine takes longer. */
const RUN_TIMEOUT_MS = 60_000;

/** Listens on all interfaces, so that a test can act as another machine. */
const server = await startServer({ env: { HOST: "0.0.0.0" } });
Deno.test.beforeAll(installSdks);
Deno.test.afterAll(async () => void await server.stop());
const address = inboxAddress(new URL(server.origin));
const codeOf = (name: string, to = address) =>
  SNIPPETS.find((snippet) => snippet.name === name)!.code(to);

type Command = readonly [program: string, ...args: string[]];

/**
 * Runs a command in a folder where `@sentry/node` is installed.
 *
 * @param files by name
 */
async function run(command: Command, files: Record<string, string> = {}) {
  using folder = temporaryFolder();
  await Deno.symlink(modulesOf("@sentry/node", "11.12.0"), `${folder.path}/node_modules`);
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder.path}/${name}`, text);
  }
  const [program, ...args] = command;
  const signal = AbortSignal.timeout(RUN_TIMEOUT_MS);
  const { code, stderr } = await runProgram(program, args, { cwd: folder.path, signal });
  assert.equal(code, 0, `${command.join(" ")}: ${stderr}`);
}

/** Number of error groups in the inbox with this text. */
async function countErrors(message: string): Promise<number> {
  const query = new URLSearchParams({ view: "errors", q: message });
  const { rows } = await (await fetch(`${server.origin}/monitoring/inbox?${query}`)).json();
  return rows.length;
}

const [denoPermissions] = /--allow.*/.exec(codeOf("Deno"))!;
const denoConfig = `--config=${projectRoot}/deno.json`;
const [, denoCommand] = /# Deno: (.*)/.exec(codeOf("OpenTelemetry"))!;
/** By platform: a command that fails where it is missing, the one that runs the snippet, and its files. */
const RUNS: Readonly<Record<string, readonly [Command, Command, Record<string, string>?]>> = {
  Node: [
    ["node", "--version"],
    ["node", "--import", "./instrument.mjs", "app.mjs"],
    { "instrument.mjs": codeOf("Node"), "app.mjs": "" },
  ],
  Deno: [
    ["deno", "--version"],
    ["deno", "run", denoConfig, "--no-prompt", ...denoPermissions.split(" "), "app.ts"],
    { "app.ts": codeOf("Deno") },
  ],
  Python: [
    ["python3", "-c", "from sentry_sdk.consts import DEFAULT_OPTIONS as o; o['enable_logs']"],
    ["python3", "app.py"],
    { "app.py": codeOf("Python") },
  ],
  OpenTelemetry: [
    ["deno", "--version"],
    ["sh", "-c", `${codeOf("OpenTelemetry")}\n${denoCommand}`],
    { "app.ts": 'console.error(new Error("Hello from OpenTelemetry"));' },
  ],
  curl: [["curl", "--version"], ["sh", "-c", `${codeOf("curl")} --fail`]],
};
for (const [platform, [probe, command, files]] of Object.entries(RUNS)) {
  Deno.test({
    name: `snippet for ${platform} → its event arrives`,
    ignore: !await isAvailable(...probe),
    async fn() {
      await run(command, files);
      assert.equal(await countErrors(`Hello from ${platform}`), 1);
    },
  });
}

Deno.test({
  name: "snippet on a page opened from another machine → its event arrives; another key → 403",
  ignore: outsideAddress === undefined || !await isAvailable("curl", "--version"),
  async fn() {
    const outside = inboxAddress(new URL(`http://${outsideAddress}:${server.port}`));
    const code = codeOf("curl", outside).replace('curl"}', 'outside"}');
    await run(["sh", "-c", `${code} --fail`]);
    assert.equal(await countErrors("Hello from outside"), 1);
    const withOtherKey = codeOf("curl", { ...outside, dsn: "http://dev@127.0.0.1/1" });
    await assert.rejects(run(["sh", "-c", `${withOtherKey} --fail`]), /403/);
    const app = { "app.ts": 'console.error(new Error("Hello from OpenTelemetry outside"));' };
    await run(["sh", "-c", `${codeOf("OpenTelemetry", outside)}\n${denoCommand}`], app);
    assert.equal(await countErrors("Hello from OpenTelemetry outside"), 1);
    assert.equal(remoteDsn(new URL(server.origin), outsideAddress!), outside.dsn);
  },
});

Deno.test({
  name: "SENTRY_SPOTLIGHT, application with a DSN of another server → a copy arrives here",
  ignore: !await isAvailable("node", "--version"),
  async fn() {
    const app = `import * as Sentry from "@sentry/node";
Sentry.init({ dsn: "http://key@127.0.0.1:9/1" });
Sentry.captureMessage("Hello from Spotlight");`;
    await run(["sh", "-c", `${codeOf("SENTRY_SPOTLIGHT")}; node app.mjs`], { "app.mjs": app });
    assert.equal(await countErrors("Hello from Spotlight"), 1);
  },
});
