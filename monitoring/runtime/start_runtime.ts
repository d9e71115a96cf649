import { logToConsole } from "./console_log.ts";
import type { Runtime, RuntimeOptions } from "./runtime.ts";

/** Starts the server's own telemetry. If that fails, logs the error and returns a runtime that only uses the console. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  try {
    // A dynamic import, so that a package that fails while it loads is caught too.
    const { startTelemetry } = await import("./telemetry.ts");
    return startTelemetry(options);
  } catch (error) {
    logToConsole("error", "The server's own telemetry did not start; the server runs without it.");
    console.error(error);
    return consoleRuntime;
  }
}

const consoleRuntime: Runtime = {
  observe: () => undefined,
  onError: (error) => console.error(error),
  log: logToConsole,
  flush: () => Promise.resolve(true),
  stop: () => Promise.resolve(),
};
