import type { Peer } from "./peer.ts";

export interface LoadOptions {
  readonly dsn: string;
  /** Of each envelope's payload. */
  readonly bytes: number;
  readonly seconds: number;
}

/** As many as a browser's burst of pages would keep open. */
const CONNECTIONS = 32;

let runs = 0;

/**
 * Posts envelopes by wrk, each like none before it, and says how many were answered in a second.
 *
 * @throws if wrk is not there, or one envelope was not taken
 */
export async function load({ origin }: Peer, options: LoadOptions): Promise<number> {
  const script = new URL("envelopes.lua", import.meta.url).pathname;
  const run = (++runs).toString(16).padStart(16, "0");
  const own = ["-t1", `-c${CONNECTIONS}`, `-d${options.seconds}s`, "-s", script];
  const { stdout, stderr } = await new Deno.Command("wrk", {
    args: [...own, `${origin}/monitoring`, "--", options.dsn, `${options.bytes}`, run],
  }).output();
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const [, count, micros, failed] = /^RESULT (\d+) (\d+) (\d+)$/m.exec(output) ?? [];
  if (count === undefined || failed !== "0") {
    throw new Error(`Not every envelope was taken:\n${output}`);
  }
  return Number(count) / (Number(micros) / 1e6);
}
