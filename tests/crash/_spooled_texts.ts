import { join } from "node:path";
import { openPostgresSpool } from "../../monitoring/relay/spool/postgres_spool.ts";
import { LEASE_MS, MAX_WAIT_MS, type Spool } from "../../monitoring/relay/spool/spool.ts";
import { openSqliteSpool } from "../../monitoring/relay/spool/sqlite_spool.ts";
import { parsePostgresUrl } from "../../monitoring/storage/postgres_address.ts";
import { DSN } from "./_delivery_log.ts";

const LIMITS = { maxBytes: 1e12, maxAgeHours: 1e6 };

/** Texts of the envelopes in the SQLite spool of a stopped server. */
export async function readFileTexts(dataDir: string): Promise<string[]> {
  // A copy, because SQLite would resolve the `/proc` link of the disk and open another file.
  const copy = await Deno.makeTempDir({ prefix: "spool-" });
  try {
    for (const { name } of Deno.readDirSync(dataDir)) {
      if (/^spool\.sqlite(-wal)?$/.test(name)) {
        await Deno.copyFile(join(dataDir, name), join(copy, name));
      }
    }
    return await readTexts(await openSqliteSpool({ path: join(copy, "spool.sqlite"), ...LIMITS }));
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
}

/** Texts of the envelopes in the spool of a PostgreSQL. */
export async function readDatabaseTexts(url: string): Promise<string[]> {
  return await readTexts(await openPostgresSpool({ address: parsePostgresUrl(url)!, ...LIMITS }));
}

/** Texts of all envelopes of a spool, which it deletes, and closes the spool. */
export async function readTexts(spool: Spool, dsn = DSN): Promise<string[]> {
  const texts: string[] = [];
  try {
    // Repeated, because segments of a recording are leased one at a time.
    for (;;) {
      const leased = await spool.lease({
        // After every lease and wait of the server.
        now: Date.now() + LEASE_MS + MAX_WAIT_MS,
        limit: 100,
        maxBytes: 1e9,
        dsns: [{ dsn, limited: 0 }],
      });
      if (leased.length === 0) return texts;
      texts.push(...leased.map(({ bytes }) => new TextDecoder().decode(bytes)));
      for (const envelope of leased) await spool.complete(envelope);
    }
  } finally {
    await spool.close();
  }
}
