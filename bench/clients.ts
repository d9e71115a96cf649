import { RELAY_CPU_BUDGETS } from "./budgets.ts";
import { CLIENTS, RELAY_CLIENT } from "./clients/adapters.ts";
import { type Figure, median } from "./figures.ts";
import { type BenchServer, startBenchServer } from "./relay/bench_server.ts";
import { measureThroughput } from "./relay/measure_throughput.ts";
import { startNginxIngest } from "./relay/nginx.ts";

const ROUNDS = 5;
const SECONDS = 2;
const WARM_UP_SECONDS = 2;
const SIZES = [{ name: "2 KB", bytes: 2_000 }, { name: "200 KB", bytes: 200_000 }] as const;
/** `getconf CLK_TCK`: 100 on every Linux that Deno supports. */
const TICK_MICROS = 10_000;

/**
 * CPU time for each envelope (user and system, of the relay's process) with each HTTP client, and of
 * `handleTunnelRequest`. The ingest is nginx. CPU time instead of throughput, because load and ingest share the machine
 * with the relay. Linux only (`/proc`).
 */
export async function benchClients(): Promise<Figure[]> {
  await using ingest = await startNginxIngest();
  if (ingest === undefined) {
    throw new Error("Cannot run: nginx, the ingest of this bench, is not on PATH.");
  }
  const dsn = `http://publickey@${new URL(ingest.origin).host}/42`;
  await using stack = new AsyncDisposableStack();
  const servers = new Map<string, BenchServer>();
  for (const name of Object.keys(CLIENTS)) {
    servers.set(name, stack.use(await startBenchServer("clients/relay_with_client.ts", name, dsn)));
  }
  servers.set(
    "handleTunnelRequest",
    stack.use(await startBenchServer("relay/servers.ts", "tunnel", dsn)),
  );

  const figures: Figure[] = [];
  for (const { name: size, bytes } of SIZES) {
    const micros = new Map<string, number[]>();
    for (const [name, server] of servers) {
      await measureThroughput(server, { dsn, bytes, seconds: WARM_UP_SECONDS });
      micros.set(name, []);
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, server] of servers) {
        const before = cpuMicros(server);
        const rate = await measureThroughput(server, { dsn, bytes, seconds: SECONDS });
        micros.get(name)!.push((cpuMicros(server) - before) / (rate * SECONDS));
      }
    }
    const tunnel = median(micros.get("handleTunnelRequest")!);
    for (const [name, values] of micros) {
      const value = median(values);
      const [least, most] = [Math.min(...values), Math.max(...values)];
      const spread = `${least.toFixed(1)} to ${most.toFixed(1)}`;
      figures.push({ what: `${name}, ${size} (${spread})`, value, unit: "µs" });
      figures.push({
        what: `${name} against handleTunnelRequest, ${size}`,
        value: value / tunnel,
        unit: "×",
        budget: name === RELAY_CLIENT ? RELAY_CPU_BUDGETS[size].limit : undefined,
      });
    }
  }
  return figures;
}

/** User and system time of a process since its start. */
function cpuMicros({ pid }: BenchServer): number {
  // The second field is the program's name in parentheses, which may contain spaces.
  const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).replace(/^.*\) /, "").split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MICROS;
}
