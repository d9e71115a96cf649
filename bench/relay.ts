import { startServer } from "../tools/run/server_process.ts";
import { RELAY_RATE_BUDGETS } from "./budgets.ts";
import { type Figure, median } from "./figures.ts";
import { type BenchServer, startBenchServer } from "./relay/bench_server.ts";
import { measureThroughput } from "./relay/measure_throughput.ts";
import { startNginx } from "./relay/nginx.ts";

const ROUNDS = 5;
const ROUND_SECONDS = 3;
/** Load before the first round, so that every server runs compiled code. */
const WARM_UP_SECONDS = 3;
const SIZES = [{ size: "2 KB", bytes: 2_000 }, { size: "200 KB", bytes: 200_000 }] as const;

interface MeasuredServer {
  readonly name: string;
  readonly server: BenchServer;
  /** Envelopes per second of each round. */
  readonly rates: number[];
}

/**
 * Measures envelopes per second through the relay, `handleTunnelRequest` of `@sentry/core` and
 * nginx's `proxy_pass`, each a process of its own in front of the same stand-in ingest.
 *
 * Rounds alternate between the servers, so that other work of the machine affects all of them.
 */
export async function benchRelay(): Promise<Figure[]> {
  await using ingest = await startBenchServer("relay/servers.ts", "ingest");
  const dsn = `http://publickey@${new URL(ingest.origin).host}/42`;
  await using tunnel = await startBenchServer("relay/servers.ts", "tunnel", dsn);
  await using nginx = await startNginx(ingest.origin);
  await using relay = await startServer({ env: { SENTRY_DSN: dsn, SENTRY_TUNNEL: "always" } });
  if (nginx === undefined) {
    console.log("Cannot measure nginx: it is not on PATH. Install nginx.");
  }

  const figures: Figure[] = [];
  for (const { size, bytes } of SIZES) {
    const ofRelay: MeasuredServer = { name: "relay", server: relay, rates: [] };
    const ofTunnel: MeasuredServer = { name: "handleTunnelRequest", server: tunnel, rates: [] };
    const ofNginx: MeasuredServer | undefined = nginx &&
      { name: "nginx", server: nginx, rates: [] };
    const servers = [ofRelay, ofTunnel, ...ofNginx ? [ofNginx] : []];
    for (const { server } of servers) {
      await measureThroughput(server, { dsn, bytes, seconds: WARM_UP_SECONDS });
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const { server, rates } of servers) {
        rates.push(await measureThroughput(server, { dsn, bytes, seconds: ROUND_SECONDS }));
      }
    }
    figures.push(
      ...servers.map(({ name, rates }) => rateFigure(name, size, median(rates))),
      ratioFigure(ofRelay, ofTunnel, size),
    );
    if (ofNginx) figures.push(ratioFigure(ofRelay, ofNginx, size, RELAY_RATE_BUDGETS[size].limit));
  }
  return figures;
}

function rateFigure(name: string, size: string, value: number): Figure {
  return { what: `${name}, envelopes of ${size}`, value, unit: "envelopes/s" };
}

/** Ratio of the medians. */
function ratioFigure(
  relay: MeasuredServer,
  other: MeasuredServer,
  size: string,
  budget?: Figure["budget"],
): Figure {
  const value = median(relay.rates) / median(other.rates);
  return { what: `relay against ${other.name}, envelopes of ${size}`, value, unit: "×", budget };
}
