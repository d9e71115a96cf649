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
import { startChild } from "./_start_child.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

const LIMITS = { maxBytes: 1e9, maxAgeHours: 1 };

/** Two recordings at each of two DSNs: four sequences. */
const facts = (n: number) => ({
  dsn: n % 3 === 0 ? OTHER_DSN : DSN,
  ...(n % 5 === 0 && { sequence: `replay ${n % 2}` }),
});

Deno.test("three processes drain one spool → all delivered, none twice, replays in order", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "data", "spool.sqlite");
  await drainTogether(path, await openSqliteSpool({ path, ...LIMITS }), 3_000);
});

Deno.test({
  name: "three processes drain one PostgreSQL → all delivered, none twice, replays in order",
  ignore: postgresBinaries === undefined,
  async fn() {
    await using postgres = await startPostgres();
    const address = parsePostgresUrl(postgres.url())!;
    await drainTogether(postgres.url(), await openPostgresSpool({ address, ...LIMITS }), 1_000);
  },
});

/** @param address a file or a `DATABASE_URL` */
async function drainTogether(address: string, spool: Spool, count: number): Promise<void> {
  const receivedAt = Date.now();
  const all = Array.from({ length: count }, (_, n) => n);
  await Promise.all(
    all.map((n) => spool.put(envelope(n, { bytes: 1_000, receivedAt, ...facts(n) }))),
  );
  const ready = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const delivered = await Promise.all(ready.map(async (childReady) => {
    const child = startChild("drain", address);
    const lines: { n: number; at: number }[] = [];
    for await (const line of child.lines) {
      if (line === "ready") {
        childReady.resolve();
        // All start at the same time.
        await Promise.all(ready.map(({ promise }) => promise));
        await child.process.stdin.close();
        continue;
      }
      const [n, at] = line.split(" ").map(Number);
      lines.push({ n: n ?? NaN, at: at ?? NaN });
    }
    assert.ok((await child.process.status).success);
    return lines;
  }));
  const order = delivered.flat().sort((a, b) => a.at - b.at).map(({ n }) => n);
  assert.deepEqual(order.toSorted((a, b) => a - b), all);
  const shares = delivered.map(({ length }) => length);
  assert.ok(shares.filter((share) => share > 0).length >= 2, `${shares}`);
  const sequences = Object.groupBy(
    order.filter((n) => n % 5 === 0),
    (n) => JSON.stringify(facts(n)),
  );
  assert.equal(Object.keys(sequences).length, 4);
  for (const segments of Object.values(sequences)) {
    assert.deepEqual(segments, segments?.toSorted((a, b) => a - b));
  }
  assert.equal((await spool.stats()).pending, 0);
  await spool.close();
}
