import { CLIENTS } from "./clients/adapters.ts";
import { type Figure, figure, ratio } from "./figures.ts";
import { type BenchServer, startBenchServer } from "./relay/bench_server.ts";
import { measureRounds, SIZES } from "./relay/measure_rounds.ts";
import { startNginxIngest } from "./relay/nginx.ts";

const TUNNEL = "handleTunnelRequest";

/**
 * CPU time for each envelope (user and system, of the relay's process) with each HTTP client, and of
 * `handleTunnelRequest`. The ingest is nginx. CPU time instead of throughput, because load and ingest share the machine
 * with the relay. Linux only (`/proc`).
 */
export async function bench(): Promise<Figure[]> {
  await using ingest = await startNginxIngest();
  const dsn = `http://publickey@${new URL(ingest.origin).host}/42`;
  await using stack = new AsyncDisposableStack();
  const servers = new Map<string, BenchServer>();
  for (const name of Object.keys(CLIENTS)) {
    servers.set(name, stack.use(await startBenchServer("clients/relay_with_client.ts", name, dsn)));
  }
  servers.set(TUNNEL, stack.use(await startBenchServer("relay/tunnel.ts", dsn)));

  const figures: Figure[] = [];
  for (const { size, bytes } of SIZES) {
    const all = await measureRounds(servers, { dsn, bytes });
    const tunnel = all.get(TUNNEL)!.micros;
    for (const [name, { micros }] of all) {
      figures.push(figure(`${name}, ${size}`, micros, "µs"));
      figures.push(ratio(`${name} against ${TUNNEL}, ${size}`, micros, tunnel));
    }
  }
  return figures;
}
