import assert from "node:assert/strict";
import { STOP_MS } from "../../monitoring/protocol/stop_times.ts";
import type { ServerProcess } from "./server_process.ts";

/** Twice the server's own limit, because a busy machine delays its timers. */
const MAX_STOP_MS = 2 * STOP_MS;

/** Stops a server by a signal. Fails if its exit code is not 0, or if it takes too long. */
export async function stopInTime(
  server: ServerProcess,
  signal: "SIGTERM" | "SIGINT" = "SIGTERM",
): Promise<void> {
  const start = performance.now();
  const { code } = await server.stop(signal);
  assert.equal(code, 0, server.output());
  const ms = performance.now() - start;
  assert.ok(ms < MAX_STOP_MS, `stopped after ${ms} ms`);
}
