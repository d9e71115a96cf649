/**
 * The relay as `deno task start` runs it, against `handleTunnelRequest` of `@sentry/core`, each in front of the same
 * ingest. That is nginx: one in JavaScript needs as much CPU time as a relay and hides their difference.
 */
import { fileURLToPath } from "node:url";
import {
  type ListeningProgram,
  startListening,
  startNginx,
} from "../tests/harness/listening_program.ts";
import { startServer } from "../tests/harness/server_process.ts";
import { BUDGETS } from "./budgets.ts";
import { budgeted, type Figure, ratios } from "./figures.ts";
import { measureRounds } from "./load.ts";

/** On a shared machine single rounds differ by a fifth and more. */
const ROUNDS = 11;
const SIZES = [
  { bytes: 2_000, cpu: BUDGETS.relayCpu2, rate: BUDGETS.relayRate2 },
  { bytes: 200_000, cpu: BUDGETS.relayCpu200, rate: BUDGETS.relayRate200 },
] as const;

export async function bench(): Promise<Figure[]> {
  await using ingest = await startIngest();
  const dsn = `http://publickey@127.0.0.1:${ingest.port}/42`;
  await using tunnel = await startTunnel(dsn);
  await using relay = await startServer({ env: { SENTRY_DSN: dsn, SENTRY_TUNNEL: "always" } });
  const figures: Figure[] = [];
  for (const { bytes, cpu, rate } of SIZES) {
    const [own, peer] = await measureRounds([relay, tunnel], { dsn, bytes }, ROUNDS);
    figures.push(
      budgeted(cpu, ...ratios(own!.micros, peer!.micros)),
      budgeted(rate, ...ratios(own!.rates, peer!.rates)),
    );
  }
  return figures;
}

/** Answers as Sentry's ingest does and discards the bodies. In memory: files would slow it down. */
const startIngest = (): Promise<ListeningProgram> =>
  startNginx((port) => `
  client_max_body_size 20m;
  client_body_buffer_size 1m;
  keepalive_requests 1000000;
  server {
    listen 127.0.0.1:${port};
    location / {
      default_type application/json;
      return 200 '{"id":"9ec79c33ec9942ab8353589fcb2e04dc"}';
    }
  }`);

function startTunnel(dsn: string): Promise<ListeningProgram> {
  const path = fileURLToPath(new URL("tunnel.ts", import.meta.url));
  const options = ["--no-prompt", "--allow-net=127.0.0.1", "--allow-env"];
  return startListening(Deno.execPath(), (port) => ["run", ...options, path, dsn, `${port}`]);
}
