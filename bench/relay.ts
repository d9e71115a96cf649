import { startServer } from "../tools/run/server_process.ts";
import { RELAY_RATE_BUDGETS } from "./budgets.ts";
import { type Figure, median } from "./figures.ts";
import { type BenchServer, startBenchServer } from "./relay/bench_server.ts";
import { measureThroughput } from "./relay/measure_throughput.ts";
import { startNginx } from "./relay/nginx.ts";

const ROUNDS = 5;
const SECONDS = 3;
/** Until the code is compiled. */
const WARM_UP_SECONDS = 3;
const SIZES = [{ size: "2 KB", bytes: 2_000 }, { size: "200 KB", bytes: 200_000 }] as const;

/**
 * Envelopes per second through the relay (as `deno task start` runs it, its spool included), through
 * `handleTunnelRequest` of `@sentry/core` on the same Deno, and through nginx's `proxy_pass`, all to the same stand-in
 * ingest. Each runs in its own process; wrk posts over 32 connections from one thread.
 *
 * Rounds alternate between the servers, so that other work of the machine affects all of them. Budgets are ratios of
 * medians.
 */
export async function benchRelay(): Promise<Figure[]> {
  await using ingest = await startBenchServer("relay/servers.ts", "ingest");
  const dsn = `http://publickey@${new URL(ingest.origin).host}/42`;
  await using tunnel = await startBenchServer("relay/servers.ts", "tunnel", dsn);
  await using nginx = await startNginx(ingest.origin);
  await using relay = await startServer({ env: { SENTRY_DSN: dsn, SENTRY_TUNNEL: "always" } });
  if (nginx === undefined) console.log("nginx is not on PATH: not measured");

  const figures: Figure[] = [];
  for (const { size, bytes } of SIZES) {
    const servers: [string, BenchServer, number[]][] = [["relay", relay, []], [
      "tunnel",
      tunnel,
      [],
    ]];
    if (nginx) servers.push(["nginx", nginx, []]);
    for (const [, server] of servers) {
      await measureThroughput(server, { dsn, bytes, seconds: WARM_UP_SECONDS });
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const [, server, rates] of servers) {
        rates.push(await measureThroughput(server, { dsn, bytes, seconds: SECONDS }));
      }
    }
    const [own = 0, ofTunnel = 0, ofNginx] = servers.map(([, , rates]) => median(rates));
    figures.push(rate("relay", size, own), rate("handleTunnelRequest", size, ofTunnel));
    if (ofNginx !== undefined) figures.push(rate("nginx", size, ofNginx));
    figures.push(ratio("handleTunnelRequest", size, own / ofTunnel));
    if (ofNginx !== undefined) {
      figures.push(ratio("nginx", size, own / ofNginx, RELAY_RATE_BUDGETS[size].limit));
    }
  }
  return figures;
}

function rate(server: string, size: string, value: number): Figure {
  return { what: `${server}, envelopes of ${size}`, value, unit: "/s" };
}

function ratio(other: string, size: string, value: number, budget?: Figure["budget"]): Figure {
  return { what: `relay against ${other}, ${size}`, value, unit: "×", budget };
}
