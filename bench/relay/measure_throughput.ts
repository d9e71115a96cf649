import { fileURLToPath } from "node:url";
import type { BenchServer } from "./bench_server.ts";

/** Concurrent connections: as many as a burst of pages opens. */
const CONNECTIONS = 32;

export interface LoadOptions {
  readonly dsn: string;
  /** Size of each envelope's payload. */
  readonly bytes: number;
  readonly seconds: number;
  /** Number of the processor that wrk runs on. Default: any. */
  readonly cpu?: number;
}

/** Part of each envelope's id, so that no run repeats an id of another one. */
let runs = 0;

/**
 * Posts envelopes with wrk, as fast as the server answers. Each has its own id, because the relay drops duplicates.
 *
 * @returns answered envelopes per second
 * @throws {Error} an envelope was not accepted
 * @throws {Deno.errors.NotFound} wrk is not on `PATH`
 */
export async function measureThroughput(
  { origin }: Pick<BenchServer, "origin">,
  { dsn, bytes, seconds, cpu }: LoadOptions,
): Promise<number> {
  const script = fileURLToPath(new URL("envelopes.lua", import.meta.url));
  const run = (++runs).toString(16).padStart(16, "0");
  const [program = "", ...pin] = cpu === undefined ? ["wrk"] : ["taskset", "-c", `${cpu}`, "wrk"];
  const { stdout, stderr } = await new Deno.Command(program, {
    args: [
      ...pin,
      ...["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, "-s", script],
      ...[`${origin}/monitoring`, "--", dsn, `${bytes}`, run],
    ],
  }).output();
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const [, count, micros, failed] = /^RESULT (\d+) (\d+) (\d+)$/m.exec(output) ?? [];
  if (count === undefined || failed !== "0") {
    throw new Error(`Cannot measure: not every envelope was accepted.\n${output}`);
  }
  return Number(count) / (Number(micros) / 1e6);
}
