/** Real servers that deliver what is in one spool. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { openPostgresSpool } from "../../monitoring/relay/spool/postgres_spool.ts";
import type { Spool } from "../../monitoring/relay/spool/spool.ts";
import { openSqliteSpool } from "../../monitoring/relay/spool/sqlite_spool.ts";
import { DSN, envelope, OTHER_DSN } from "../../monitoring/relay/spool/testdata/envelopes.ts";
import { parsePostgresUrl } from "../../monitoring/storage/postgres_address.ts";
import {
  postgresBinaries,
  startPostgres,
} from "../../monitoring/storage/testdata/private_postgres.ts";
import { untilDrained } from "../harness/server_health.ts";
import { type ServerOptions, startServer } from "../harness/server_process.ts";
import { answers, startStandInIngest, takes, takesAfter } from "../harness/stand_in_ingest.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

const LIMITS = { maxBytes: 1e9, maxAgeHours: 1 };
const SERVERS = 3;
/** Deliveries on a busy machine. */
const DRAIN_TIMEOUT_MS = 120_000;

/** Two recordings at each of two DSNs: four sequences. */
const facts = (n: number) => ({
  dsn: n % 3 === 0 ? OTHER_DSN : DSN,
  ...(n % 5 === 0 && { sequence: `replay ${n % 2}` }),
});

Deno.test("three processes drain one spool → all delivered, none twice, replays in order", async () => {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const path = join(dataDir, "spool.sqlite");
  await drainTogether({ dataDir }, await openSqliteSpool({ path, ...LIMITS }), 1_000);
});

Deno.test({
  name: "three processes drain one PostgreSQL → all delivered, none twice, replays in order",
  ignore: postgresBinaries === undefined,
  async fn() {
    await using postgres = await startPostgres();
    const address = parsePostgresUrl(postgres.url())!;
    const spool = await openPostgresSpool({ address, ...LIMITS });
    await drainTogether({ env: { DATABASE_URL: postgres.url() } }, spool, 200);
  },
});

async function drainTogether(options: ServerOptions, spool: Spool, count: number): Promise<void> {
  const receivedAt = Date.now();
  const all = Array.from({ length: count }, (_, n) => n);
  await Promise.all(all.map((n) => {
    const bytes = new TextEncoder().encode(`${n}`.padEnd(1_000));
    return spool.put({ ...envelope(n, { receivedAt, ...facts(n) }), bytes });
  }));
  await spool.close();

  await using stack = new AsyncDisposableStack();
  /** Numbers in order of arrival, and those of each server. */
  const order: number[] = [];
  const servers = await Promise.all(Array.from({ length: SERVERS }, async () => {
    const ingest = stack.use(startStandInIngest());
    // Until all have started.
    ingest.behave(answers(503));
    const env = {
      SENTRY_DSN: DSN,
      SENTRY_ALLOWED_DSNS: OTHER_DSN,
      RELAY_UPSTREAM: ingest.origin,
      // A server whose attempt times out on a busy machine would deliver an envelope twice.
      RELAY_TIMEOUT_MS: "30000",
    };
    const server = stack.use(await startServer({ ...options, env: { ...options.env, ...env } }));
    return { ingest, server, delivered: [] as number[] };
  }));
  // A server has leased a part of them: the ingest answers once a second server has the next ones.
  const shared = Promise.withResolvers<void>();
  for (const { ingest, delivered } of servers) {
    ingest.behave(({ text }) => {
      // A server also sends envelopes of its own.
      if (!/^\d/.test(text)) return takes();
      order.push(parseInt(text));
      delivered.push(parseInt(text));
      if (servers.filter(({ delivered }) => delivered.length > 0).length >= 2) shared.resolve();
      return takesAfter(shared.promise);
    });
  }
  await Promise.all(servers.map(({ server }) => untilDrained(server, DRAIN_TIMEOUT_MS)));

  assert.deepEqual(order.toSorted((a, b) => a - b), all);
  const sequences = Object.groupBy(
    order.filter((n) => n % 5 === 0),
    (n) => JSON.stringify(facts(n)),
  );
  assert.equal(Object.keys(sequences).length, 4);
  for (const segments of Object.values(sequences)) {
    assert.deepEqual(segments, segments?.toSorted((a, b) => a - b));
  }
}
