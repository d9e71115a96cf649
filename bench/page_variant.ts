/** The page built without monitoring: the project is copied, some of its modules are replaced, and it is built. */
import { buildCopy } from "../tests/harness/project_copy.ts";

/** Source text by path. The SDK's chunks are built but never loaded; the page's own views stay empty. */
export const WITHOUT_MONITORING: Readonly<Record<string, string>> = {
  "monitoring/browser/early_errors.ts": `
    export const earlyScript = "";
    export const peekEarlyErrors = () => ({ errors: [], overflow: 0 });
    export const takeEarlyErrors = peekEarlyErrors;`,
  "monitoring/browser/mod.ts": `
    export const INITIAL_STATE = { phase: "waiting", recording: "waiting", receipts: [], waiting: 0 };
    export const snapshot = () => INITIAL_STATE;
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

/** @param root an empty folder */
export const buildWithoutMonitoring = (root: string): Promise<void> =>
  buildCopy(root, async () => {
    for (const [path, source] of Object.entries(WITHOUT_MONITORING)) {
      // Fails if there is no such module to replace.
      await Deno.writeTextFile(`${root}/${path}`, source, { create: false });
    }
  });
