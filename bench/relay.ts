import { projectRoot } from "../tools/project_files.ts";
import { startServer } from "../tests/server_process.ts";
import {
  type Budget,
  RELAY_CPU_BUDGETS,
  RELAY_RATE_BUDGETS,
  WORKERS_CPU_BUDGET,
} from "./budgets.ts";
import { type Figure, figure, ratio } from "./figures.ts";
import { startBenchServer } from "./relay/bench_server.ts";
import { measureRounds, type Rounds, SIZES } from "./relay/measure_rounds.ts";
import { startNginx, startNginxIngest } from "./relay/nginx.ts";

const RELAY = "relay";
const WORKERS = "relay with WORKERS=auto";
const TUNNEL = "handleTunnelRequest";
const NGINX = "nginx";

/**
 * Throughput, and CPU time for each envelope, of the relay as `deno task start` runs it, in one process and in one for
 * each core, of `handleTunnelRequest` of `@sentry/core` and of nginx's `proxy_pass`: each in processes of its own in
 * front of the same ingest. The ingest is nginx, because one in JavaScript needs as much CPU time as a relay and hides
 * their difference. Linux only (`/proc`).
 */
export async function bench(): Promise<Figure[]> {
  await using ingest = await startNginxIngest();
  const dsn = `http://publickey@${new URL(ingest.origin).host}/42`;
  await using tunnel = await startBenchServer("relay/tunnel.ts", dsn);
  await using nginx = await startNginx(ingest.origin);
  const env = { SENTRY_DSN: dsn, SENTRY_TUNNEL: "always" };
  await using relay = await startServer({ env });
  await using workers = await startServer({
    env: { ...env, WORKERS: "auto" },
    main: `${projectRoot}/tools/run/start.ts`,
    permissions: ["-A"],
  });
  const servers = new Map([
    [RELAY, relay],
    [WORKERS, workers],
    [TUNNEL, tunnel],
    [NGINX, nginx],
  ]);

  const figures: Figure[] = [];
  for (const { size, bytes } of SIZES) {
    const all = await measureRounds(servers, { dsn, bytes });
    for (const [name, { rates, micros }] of all) {
      figures.push(
        figure(`${name}, ${size}`, rates, "envelopes/s"),
        figure(`${name}, ${size}, CPU time for each`, micros, "µs"),
      );
    }
    const compare = (one: string, peer: string, of: keyof Rounds, budget?: Budget): Figure => {
      const what = `${one} against ${peer}, ${size}, ${
        of === "rates" ? "envelopes/s" : "CPU time"
      }`;
      return ratio(what, all.get(one)![of], all.get(peer)![of], budget);
    };
    figures.push(
      compare(RELAY, TUNNEL, "micros", RELAY_CPU_BUDGETS[size]),
      compare(RELAY, TUNNEL, "rates"),
      compare(RELAY, NGINX, "rates", RELAY_RATE_BUDGETS[size]),
      compare(WORKERS, RELAY, "micros", WORKERS_CPU_BUDGET),
      compare(WORKERS, RELAY, "rates"),
    );
  }
  return figures;
}
