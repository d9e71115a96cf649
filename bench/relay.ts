import { startServer } from "../tools/run/server_process.ts";
import { type Limit, RELAY_CPU_BUDGETS, RELAY_RATE_BUDGETS } from "./budgets.ts";
import { type Figure, figure, ratio } from "./figures.ts";
import { startBenchServer } from "./relay/bench_server.ts";
import { measureRounds, type Rounds, SIZES } from "./relay/measure_rounds.ts";
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
        figure(`${name}, ${size}`, "envelopes/s", rates),
        figure(`${name}, ${size}, CPU time for each`, "µs", micros),
      );
    }
    const against = (peer: string, of: keyof Rounds, budget?: Limit): Figure => {
      const what = `relay against ${peer}, ${size}, ${of === "rates" ? "envelopes/s" : "CPU time"}`;
      return ratio(what, all.get(RELAY)![of], all.get(peer)![of], budget);
    };
    figures.push(
      against(TUNNEL, "micros", RELAY_CPU_BUDGETS[size].limit),
      against(TUNNEL, "rates"),
      against(NGINX, "rates", RELAY_RATE_BUDGETS[size].limit),
    );
  }
  return figures;
}
