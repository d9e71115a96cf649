import { startServer } from "../tools/run/server_process.ts";
import { type Limit, RELAY_CPU_BUDGETS, RELAY_RATE_BUDGETS } from "./budgets.ts";
import { type Figure, median } from "./figures.ts";
import { startBenchServer } from "./relay/bench_server.ts";
import { measureRounds, type Rounds, roundsFigure, SIZES } from "./relay/measure_rounds.ts";
import { startNginx, startNginxIngest } from "./relay/nginx.ts";

const RELAY = "relay";
const TUNNEL = "handleTunnelRequest";
const NGINX = "nginx";

/**
 * Throughput, and CPU time for each envelope, of the relay as `deno task start` runs it, `handleTunnelRequest` of
 * `@sentry/core` and nginx's `proxy_pass`: each a process of its own in front of the same ingest. The ingest is nginx,
 * because one in JavaScript needs as much CPU time as a relay and hides their difference. Linux only (`/proc`).
 */
export async function benchRelay(): Promise<Figure[]> {
  await using ingest = await startNginxIngest();
  if (ingest === undefined) {
    console.log("  Not measured: nginx, the ingest and a peer of this bench, is not on PATH.");
    return [];
  }
  const dsn = `http://publickey@${new URL(ingest.origin).host}/42`;
  await using tunnel = await startBenchServer("relay/tunnel.ts", dsn);
  await using nginx = await startNginx(ingest.origin);
  await using relay = await startServer({ env: { SENTRY_DSN: dsn, SENTRY_TUNNEL: "always" } });
  const servers = new Map([[RELAY, relay], [TUNNEL, tunnel], [NGINX, nginx]]);

  const figures: Figure[] = [];
  for (const { size, bytes } of SIZES) {
    const all = await measureRounds(servers, { dsn, bytes });
    for (const [name, { rates, micros }] of all) {
      figures.push(
        roundsFigure(`${name}, ${size}`, rates, "envelopes/s"),
        roundsFigure(`${name}, ${size}, CPU time for each`, micros, "µs"),
      );
    }
    const ratio = (of: keyof Rounds, against: string, budget?: Limit): Figure => ({
      what: `relay against ${against}, ${size}, ${of === "rates" ? "envelopes/s" : "CPU time"}`,
      value: median(all.get(RELAY)![of]) / median(all.get(against)![of]),
      unit: "×",
      budget,
    });
    figures.push(
      ratio("micros", TUNNEL, RELAY_CPU_BUDGETS[size].limit),
      ratio("rates", TUNNEL),
      ratio("rates", NGINX, RELAY_RATE_BUDGETS[size].limit),
    );
  }
  return figures;
}
