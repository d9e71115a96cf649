/** The page built without monitoring: the project is copied, some of its modules are replaced, and it is built. */
import { dirname } from "node:path";
import { projectFiles, projectRoot } from "../tools/project_files.ts";

/**
 * Source text by path. Without the inline script and the queue of calls; the SDK's chunks are built but never loaded.
 * The page's own views remain, and stay empty.
 */
export const WITHOUT_MONITORING: Readonly<Record<string, string>> = {
  "monitoring/browser/early_errors.ts": `
    export const earlyScript = "";
    export const peekEarlyErrors = () => ({ errors: [], overflow: 0 });
    export const takeEarlyErrors = peekEarlyErrors;`,
  "monitoring/browser/mod.ts": `
    const state = { phase: "waiting", recording: "waiting", receipts: [], waiting: 0 };
    export const snapshot = () => state;
    export const subscribe = () => () => {};
    export const sessionData = { envelopes: [], subscribe };
    export function start() {}
    export const loadOpenTelemetry = () => import("./start_telemetry.ts");
    export const flush = () => {};
    export function captureError() {}
    export function log() {}
    export function navigated() {}
    export const grant = () => void import("./recording_chunk.ts");
    export function withdraw() {}`,
};

/**
 * Makes a copy of the project with replaced modules, and builds it.
 *
 * @param root an empty folder
 * @throws {Error} a replaced module no longer exists, or the build failed
 */
export async function buildWithoutMonitoring(root: string): Promise<void> {
  for (const path of projectFiles(projectRoot, [""])) {
    await Deno.mkdir(dirname(`${root}/${path}`), { recursive: true });
    await Deno.copyFile(`${projectRoot}/${path}`, `${root}/${path}`);
  }
  await Deno.symlink(`${projectRoot}/node_modules`, `${root}/node_modules`);
  for (const [path, source] of Object.entries(WITHOUT_MONITORING)) {
    // Fails if there is no such module to replace.
    await Deno.writeTextFile(`${root}/${path}`, source, { create: false });
  }
  const args = ["run", "-A", "tools/build.ts"];
  const build = new Deno.Command(Deno.execPath(), { args, cwd: root, stdin: "null" });
  const { success, stderr } = await build.output();
  if (!success) throw new Error(`Cannot build a copy:\n${new TextDecoder().decode(stderr)}`);
}
