import {
  postgresBinaries,
  startPostgres,
} from "../monitoring/storage/testdata/private_postgres.ts";
import { healthOf } from "../tests/server_health.ts";
import { findStablePort } from "../tests/stable_port.ts";
import { until } from "../tests/until.ts";
import { type ServerProcess, startServer } from "../tests/server_process.ts";
import { type Budget, SPOOL_RATE_BUDGETS } from "./budgets.ts";
import { type Figure, figure, type Measured } from "./figures.ts";
import { measureThroughput } from "./relay/measure_throughput.ts";

const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_SECONDS = 3;
const BYTES = 10_000;
/** More than one run accepts, so that the spool never gets full. */
const SPOOL_MAX_BYTES = 20 * 1024 * 1024 * 1024;

/**
 * Envelopes of 10 KB per second that one process accepts while its ingest refuses connections, into SQLite and into a
 * PostgreSQL on the same machine, with TLS. Each 202 is synced to disk.
 *
 * @throws if the spool holds another number of envelopes afterwards
 */
export async function bench(): Promise<Measured[]> {
  const figures: Measured[] = await measureSpool("SQLite", SPOOL_RATE_BUDGETS.sqlite, {});
  if (postgresBinaries === undefined) {
    return [...figures, { what: "accepted into PostgreSQL", missing: "needs a PostgreSQL server" }];
  }
  await using postgres = await startPostgres();
  const env = { DATABASE_URL: postgres.url() };
  return [...figures, ...await measureSpool("PostgreSQL", SPOOL_RATE_BUDGETS.postgres, env)];
}

async function measureSpool(
  where: string,
  budget: Budget,
  env: Readonly<Record<string, string>>,
): Promise<Figure[]> {
  const dsn = `http://publickey@127.0.0.1:${findStablePort()}/42`;
  await using relay = await startServer({
    env: {
      SENTRY_DSN: dsn,
      SENTRY_TUNNEL: "always",
      SPOOL_MAX_BYTES: `${SPOOL_MAX_BYTES}`,
      ...env,
    },
  });
  const options = { dsn, bytes: BYTES };
  await measureThroughput(relay, { ...options, seconds: WARM_UP_SECONDS });
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rates.push(await measureThroughput(relay, { ...options, seconds: SECONDS }));
  }
  const { pending, spooled } = await spooledBy(relay);
  if (pending !== spooled) {
    throw new Error(`${spooled} envelopes were accepted, but ${pending} are in the spool.`);
  }
  return [
    figure(`accepted into the spool in ${where}, envelopes of 10 KB`, rates, budget),
    figure(
      `in the spool in ${where} afterwards, as many as were answered 202`,
      [pending],
      "envelopes",
    ),
  ];
}

/** Numbers once every request has ended: wrk stops while some are open. */
async function spooledBy(relay: ServerProcess): Promise<{ pending: number; spooled?: number }> {
  await until("no request is open", async () => (await healthOf(relay)).in_flight_bytes === 0);
  // Read again: a health check asks the spool first, and requests may have ended while it did.
  const { spool, outcomes } = await healthOf(relay);
  return { pending: spool.pending, spooled: outcomes.spooled };
}
