import { type ServerProcess, startServer } from "../tools/server_process.ts";
import { type Figure, median } from "./figures.ts";
import { load } from "./relay/load.ts";

const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_SECONDS = 3;
const BYTES = 10_000;
/** Enough for all that one run accepts: a full spool would be measured else. */
const SPOOL_MAX_BYTES = 20 * 1024 * 1024 * 1024;

/**
 * Envelopes of 10 KB that one process accepts in a second while its ingest refuses connections: each 202
 * is one that is synced to the disk. Afterwards the spool must hold exactly as many.
 *
 * @throws if it holds another number
 */
export async function benchSpool(): Promise<Figure[]> {
  const dsn = `http://publickey@127.0.0.1:${refusedPort()}/42`;
  await using relay = await startServer({
    env: { SENTRY_DSN: dsn, SENTRY_TUNNEL: "always", SPOOL_MAX_BYTES: `${SPOOL_MAX_BYTES}` },
  });
  const options = { dsn, bytes: BYTES };
  await load(relay, { ...options, seconds: WARM_UP_SECONDS });
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rates.push(await load(relay, { ...options, seconds: SECONDS }));
  }
  const { pending, spooled } = await kept(relay);
  if (pending !== spooled) {
    throw new Error(`${spooled} were accepted, and ${pending} are in the spool.`);
  }
  return [
    {
      what: "accepted into the spool, envelopes of 10 KB",
      value: median(rates),
      unit: "/s",
      budget: { least: 5_000 },
    },
    { what: "slowest of the rounds", value: Math.min(...rates), unit: "/s" },
    { what: "in the spool afterwards, of as many answered 202", value: pending, unit: "envelopes" },
  ];
}

/** What is in the spool once every answer has been counted: wrk leaves while some are under way. */
async function kept({ origin }: ServerProcess): Promise<{ pending: number; spooled: number }> {
  for (;;) {
    const { spool, outcomes, in_flight_bytes } = await (await fetch(`${origin}/monitoring`)).json();
    if (in_flight_bytes === 0) return { pending: spool.pending, spooled: outcomes.spooled };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A port on which nobody listens. */
function refusedPort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
