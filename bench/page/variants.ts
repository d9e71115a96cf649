/** The page in other forms, to compare it with: the project is copied, some of its modules are replaced, and it is built. */
import { dirname } from "node:path";
import { loadConfig } from "../../config.ts";
import { exists, projectFiles, projectRoot } from "../../tools/project_files.ts";
import { serverPermissions } from "../../tools/run/permissions.ts";
import { type ServerProcess, startServer } from "../../tests/server_process.ts";

/** Source text by path. */
type Replacements = Readonly<Record<string, string>>;

/**
 * Without the inline script and the queue of calls; the SDK's chunks are built but never loaded. The page's own views
 * remain, and stay empty.
 */
export const WITHOUT_MONITORING: Replacements = {
  "monitoring/browser/early_errors.ts": `
    export const earlyScript = "";
    export const takeEarlyErrors = () => ({ errors: [], overflow: 0 });`,
  "monitoring/browser/mod.ts": `
    const state = { phase: "waiting", recording: "waiting", receipts: [], waiting: 0 };
    export const snapshot = () => state;
    export const subscribe = () => () => {};
    export const visitData = { spans: [], envelopes: [], subscribe };
    export function start(config) {
      if (config === undefined) void import("./start_telemetry.ts");
    }
    export const flush = () => {};
    export function captureError() {}
    export function log() {}
    export function navigated() {}
    export function grant() {}
    export function withdraw() {}`,
};

/** The SDK and the recorder are static imports of the first script, and start at once. */
export const EAGER: Replacements = {
  "client.ts": `
    import "./monitoring/browser/start_telemetry.ts";
    import "./monitoring/browser/start_recording.ts";
    ${Deno.readTextFileSync(`${projectRoot}/client.ts`)}`,
  "monitoring/browser/when_idle.ts": `
    export const whenIdle = (work) => work();
    export const untilIdle = () => Promise.resolve();
    export const whenLoadedAndIdle = whenIdle;`,
};

/** The server makes no spans of its answers. */
export const WITHOUT_SERVER_TRACING: Replacements = {
  "monitoring/runtime/request_observer.ts": `
    export class RequestObserver {
      observe() {}
    }`,
};

/**
 * Builds a copy of the project with replaced modules, and serves it.
 *
 * @throws {Error} a replaced module no longer exists, or the build failed
 */
export async function serveVariant(replacements: Replacements): Promise<ServerProcess> {
  const root = await Deno.makeTempDir({ prefix: "bench-page-" });
  const remove = () => Deno.remove(root, { recursive: true });
  try {
    await copyProject(root, replacements);
    await build(root);
    const config = loadConfig({ PORT: "0", HOST: "127.0.0.1", DATA_DIR: `${root}/.data` });
    const server = await startServer({
      main: `${root}/main.ts`,
      dataDir: `${root}/.data`,
      permissions: serverPermissions(config, { root, cwd: root }),
    });
    return {
      ...server,
      async [Symbol.asyncDispose]() {
        await server.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function copyProject(root: string, replacements: Replacements): Promise<void> {
  for (const path of projectFiles(projectRoot, [""])) {
    await Deno.mkdir(dirname(`${root}/${path}`), { recursive: true });
    await Deno.copyFile(`${projectRoot}/${path}`, `${root}/${path}`);
  }
  await Deno.symlink(`${projectRoot}/node_modules`, `${root}/node_modules`);
  for (const [path, source] of Object.entries(replacements)) {
    if (!exists(`${root}/${path}`)) {
      throw new Error(`Cannot replace ${path}: it does not exist. Adapt bench/page/variants.ts.`);
    }
    await Deno.writeTextFile(`${root}/${path}`, source);
  }
}

async function build(root: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "tools/build.ts"],
    cwd: root,
    stdin: "null",
    stderr: "piped",
  }).output();
  if (!success) {
    throw new Error(`Cannot build a variant of the page:\n${new TextDecoder().decode(stderr)}`);
  }
}
