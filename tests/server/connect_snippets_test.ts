/** Runs the snippets that the page shows under "Connect your application", as a user would. */
import assert from "node:assert/strict";
import { inboxAddress, remoteDsn, SNIPPETS } from "../../islands/overview/snippets.ts";
import { projectRoot } from "../../tools/project_files.ts";
import { startServer } from "../../tools/run/server_process.ts";
import { installSdks, modulesOf } from "../sdks/installed.ts";
import { temporaryFolder } from "../temporary_folder.ts";

/** An SDK starts in a second, on a busy machine in several. */
const RUN_TIMEOUT_MS = 60_000;

/** Listens on every interface, so that a test can be another machine's application. */
const server = await startServer({ env: { HOST: "0.0.0.0" } });
Deno.test.beforeAll(installSdks);
Deno.test.afterAll(async () => void await server.stop());
const address = inboxAddress(new URL(server.origin));
const codeOf = (id: string, to = address) =>
  SNIPPETS.find((snippet) => snippet.id === id)!.code(to);
/** An address of this machine for which the server does not see a loopback peer. */
const outside = Deno.networkInterfaces()
  .find(({ family, address }) => family === "IPv4" && !address.startsWith("127."))?.address;

/**
 * Runs a command in a folder where `@sentry/node` is installed.
 *
 * @param files by name
 */
async function run(command: readonly [string, ...string[]], files: Record<string, string> = {}) {
  using folder = temporaryFolder();
  await Deno.symlink(modulesOf("@sentry/node", "11.12.0"), `${folder.path}/node_modules`);
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder.path}/${name}`, text);
  }
  const [program, ...args] = command;
  const signal = AbortSignal.timeout(RUN_TIMEOUT_MS);
  const { success, stderr } = await new Deno.Command(program, {
    args,
    cwd: folder.path,
    signal,
    stdout: "null",
    stderr: "piped",
  }).output();
  assert.ok(success, `${command.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

/** Whether a program runs here. */
async function runs(program: string, ...args: string[]): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args, stdout: "null", stderr: "null" }).output())
      .success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function received(message: string): Promise<number> {
  const query = new URLSearchParams({ view: "errors", q: message });
  const { rows } = await (await fetch(`${server.origin}/monitoring/inbox?${query}`)).json();
  return rows.length;
}

Deno.test({
  name: "snippet for Node → its event arrives",
  ignore: !await runs("node", "--version"),
  async fn() {
    const files = { "instrument.mjs": codeOf("node"), "app.mjs": "" };
    await run(["node", "--import", "./instrument.mjs", "app.mjs"], files);
    assert.equal(await received("Hello from Node"), 1);
  },
});

Deno.test("snippet for Deno → its event arrives, with the permissions that it names", async () => {
  const [permissions] = /--allow.*/.exec(codeOf("deno"))!;
  const config = `--config=${projectRoot}/deno.json`;
  await run(["deno", "run", config, "--no-prompt", ...permissions.split(" "), "app.ts"], {
    "app.ts": codeOf("deno"),
  });
  assert.equal(await received("Hello from Deno"), 1);
});

Deno.test({
  name: "snippet for Python → its event arrives",
  ignore: !await runs(
    "python3",
    "-c",
    "from sentry_sdk.consts import DEFAULT_OPTIONS as o; o['enable_logs']",
  ),
  async fn() {
    await run(["python3", "app.py"], { "app.py": codeOf("python") });
    assert.equal(await received("Hello from Python"), 1);
  },
});

Deno.test({
  name: "snippet for curl → its event arrives",
  ignore: !await runs("curl", "--version"),
  async fn() {
    await run(["sh", "-c", `${codeOf("curl")} --fail`]);
    assert.equal(await received("Hello from curl"), 1);
  },
});

Deno.test({
  name:
    "snippet on a page opened from another machine → its event arrives; key for local use → 403",
  ignore: outside === undefined || !await runs("curl", "--version"),
  async fn() {
    const { origin, dsn } = inboxAddress(new URL(`http://${outside}:${server.port}`));
    const code = codeOf("curl", { origin, dsn }).replace('curl"}', 'outside"}');
    await run(["sh", "-c", `${code} --fail`]);
    assert.equal(await received("Hello from outside"), 1);
    const withLocalKey = codeOf("curl", { origin, dsn: address.dsn });
    await assert.rejects(run(["sh", "-c", `${withLocalKey} --fail`]), /403/);
    assert.equal(remoteDsn(new URL(server.origin), outside!), dsn);
  },
});

Deno.test({
  name: "SENTRY_SPOTLIGHT, application with a DSN of another server → a copy arrives here",
  ignore: !await runs("node", "--version"),
  async fn() {
    const app = `import * as Sentry from "@sentry/node";
Sentry.init({ dsn: "http://key@127.0.0.1:9/1" });
Sentry.captureMessage("Hello from Spotlight");`;
    await run(["sh", "-c", `${codeOf("spotlight")}; node app.mjs`], { "app.mjs": app });
    assert.equal(await received("Hello from Spotlight"), 1);
  },
});
