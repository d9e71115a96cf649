import { existsSync } from "node:fs";
import { projectRoot } from "../../tools/project_files.ts";
import { until } from "./until.ts";
import { type WatchedProcess, watchProcess } from "./watched_process.ts";

/** Files and folders of the real project that launchers and build need. */
const REAL = [
  "config",
  "monitoring/protocol",
  "monitoring/storage/postgres_address.ts",
  "monitoring/relay/send/http/proxies.ts",
  "monitoring/runtime/console_log.ts",
  "monitoring/settings.ts",
  "server",
  "tools/build.ts",
  "tools/project_files.ts",
  "tools/run/dev.ts",
  "tools/run/launcher.ts",
  "tools/run/permissions.ts",
  "tools/run/prepare.ts",
  "tools/run/processes.ts",
  "tools/run/start.ts",
  "tools/run/workers.ts",
];

/** A minimal server: prints each signal that it receives, and exits with code 7. */
const MAIN = `
import { createApp } from "./server/app.ts";
import { readManifest } from "./server/manifest.ts";
import { launcherEnded } from "./server/serve.ts";

const build = new URL(".build/", import.meta.url);
const app = await createApp({ build, manifest: await readManifest(build), variant: "inbox" });
console.log("commit " + Deno.env.get("SIGHTGLASS_COMMIT"));
let server;
const stop = async (why) => {
  console.log("stopping: " + why);
  app.close();
  await server.shutdown();
  Deno.exit(7);
};
Deno.addSignalListener("SIGTERM", () => stop("SIGTERM"));
Deno.addSignalListener("SIGINT", () => stop("SIGINT"));
launcherEnded().then(() => stop("the launcher has ended"));
server = Deno.serve({
  hostname: Deno.env.get("HOST") ?? "127.0.0.1",
  port: Number(Deno.env.get("PORT")),
  onListen: ({ port }) => console.log("Listening on http://127.0.0.1:" + port + "/"),
}, app.handler);
`;

/** The initial content of `routes/index.tsx`. */
export const FIRST_PAGE = "export default () => <p>first</p>;\n";

/** The initial content of `monitoring/browser/build.ts`. */
export const BROWSER_BUILD =
  "export const esbuildOptions = {};\nexport const extraAssets = async () => ({});\n";

const OWN = {
  "main.ts": MAIN,
  "client.ts": "export {};\n",
  "monitoring/browser/build.ts": BROWSER_BUILD,
  "monitoring/player/build.ts": 'export const PLAYER_ENTRY = "client.ts";\n' +
    'export const PLAYER_SCRIPT = "player";\nexport const bundlePlayer = async () => "";\n',
  "monitoring/runtime/build.ts":
    'export const bundlePackages = () => ({ "imports.json": "{}" });\n',
  "routes/_app.tsx":
    "export default ({ children }: any) => <html><head></head><body>{children}</body></html>;\n",
  "routes/index.tsx": FIRST_PAGE,
  "routes/_404.tsx": FIRST_PAGE,
  "routes/_500.tsx": FIRST_PAGE,
  "static/page.css": "",
  ".git/HEAD": `${"c".repeat(40)}\n`,
};

/**
 * The real launchers and the real build around a minimal project, in a temporary folder: for tests
 * that change sources, break builds and kill launchers.
 */
export class LauncherProject implements AsyncDisposable {
  private constructor(readonly folder: string) {}

  static async create(): Promise<LauncherProject> {
    const project = new LauncherProject(await Deno.makeTempDir({ prefix: "launcher-" }));
    const { folder } = project;
    for (const path of REAL) await copy(`${projectRoot}/${path}`, `${folder}/${path}`);
    for (const [path, text] of Object.entries(OWN)) await project.write(path, text);
    const real = JSON.parse(await Deno.readTextFile(`${projectRoot}/deno.json`));
    const { tasks, imports, compilerOptions } = real;
    // `node_modules` is the project's own: install nothing into it, and write no lock.
    const config = { nodeModulesDir: "manual", lock: false, tasks, imports, compilerOptions };
    await project.write("deno.json", JSON.stringify(config));
    await project.write("deno.lock", "{}");
    await Deno.symlink(`${projectRoot}/node_modules`, `${folder}/node_modules`);
    return project;
  }

  async write(path: string, text: string): Promise<void> {
    await Deno.mkdir(`${this.folder}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${this.folder}/${path}`, text);
  }

  /** Starts `tools/run/start.ts`. */
  start(env: Record<string, string> = {}): WatchedProcess {
    return this.#watch(["run", "-A", `${this.folder}/tools/run/start.ts`], env);
  }

  /** Starts a task, whose child process the launcher then is. */
  task(name: "start" | "dev"): WatchedProcess {
    return this.#watch(["task", name], {});
  }

  #watch(args: readonly string[], env: Record<string, string>): WatchedProcess {
    const own = { PORT: "0", HOST: "127.0.0.1", SENTRY_DSN: "", SIGHTGLASS_COMMIT: "" };
    return watchProcess(args, { cwd: this.folder, env: { ...own, ...env } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Fails while a process that is ending still writes into it.
    await until("the folder is removed", async () => {
      await Deno.remove(this.folder, { recursive: true }).catch(() => {});
      return !existsSync(this.folder);
    });
  }
}

async function copy(from: string, to: string): Promise<void> {
  if (!(await Deno.stat(from)).isDirectory) {
    await Deno.mkdir(to.replace(/\/[^/]*$/, ""), { recursive: true });
    return await Deno.copyFile(from, to);
  }
  for await (const { name } of Deno.readDir(from)) {
    if (name !== "testdata" && !name.endsWith("_test.ts")) {
      await copy(`${from}/${name}`, `${to}/${name}`);
    }
  }
}
