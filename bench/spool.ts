/**
 * Envelopes of 10 KB per second that one process accepts while its ingest refuses connections, into SQLite and into a
 * PostgreSQL on the same machine, with TLS. Each is synced to disk before its 202.
 */
import {
  postgresBinaries,
  startPostgres,
} from "../monitoring/storage/testdata/private_postgres.ts";
import { healthOf } from "../tests/harness/server_health.ts";
import { findStablePort } from "../tests/harness/stable_port.ts";
import { until } from "../tests/harness/until.ts";
import { startServer } from "../tests/harness/server_process.ts";
import { type Budget, BUDGETS } from "./budgets.ts";
import { budgeted, type Figure } from "./figures.ts";
import { measureRounds } from "./load.ts";

const ROUNDS = 7;
const BYTES = 10_000;
/** More than one run accepts, so that the spool never gets full. */
const SPOOL_MAX_BYTES = 20 * 1024 ** 3;

export async function bench(): Promise<Figure[]> {
  const sqlite = await measureSpool(BUDGETS.spoolSqlite, {});
  if (postgresBinaries === undefined) return [sqlite];
  await using postgres = await startPostgres();
  return [sqlite, await measureSpool(BUDGETS.spoolPostgres, { DATABASE_URL: postgres.url() })];
}

/** @throws if the spool holds another number of envelopes afterwards than were acknowledged */
async function measureSpool(
  budget: Budget,
  env: Readonly<Record<string, string>>,
): Promise<Figure> {
  const dsn = `http://publickey@127.0.0.1:${findStablePort()}/42`;
  const limits = { SPOOL_MAX_BYTES: `${SPOOL_MAX_BYTES}` };
  await using relay = await startServer({
    env: { SENTRY_DSN: dsn, SENTRY_TUNNEL: "always", ...limits, ...env },
  });
  const [measured] = await measureRounds([relay], { dsn, bytes: BYTES }, ROUNDS);
  // wrk stops while some requests are open.
  await until("no request is open", async () => (await healthOf(relay)).in_flight_bytes === 0);
  // Read again: a health check asks the spool first, and requests may have ended while it did.
  const { spool, outcomes } = await healthOf(relay);
  if (spool.pending !== outcomes.spooled) {
    throw new Error(`${outcomes.spooled} were accepted, but ${spool.pending} are in the spool.`);
  }
  return budgeted(budget, ...measured!.rates);
}
