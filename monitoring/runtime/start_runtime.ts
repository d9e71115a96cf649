import { logToConsole } from "./log.ts";
import { consoleRuntime, type Runtime, type RuntimeOptions } from "./runtime.ts";

/**
 * Starts the server's own telemetry. It never stands in the server's way: where it does not start,
 * the console says so, and the server serves on with the console alone.
 */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  try {
    // Loaded here, so that a package that fails as it loads is caught too.
    const { startTelemetry } = await import("./telemetry.ts");
    return startTelemetry(options);
  } catch (error) {
    logToConsole("error", "The server's own telemetry did not start; the server runs without it.");
    console.error(error);
    return consoleRuntime;
  }
}
