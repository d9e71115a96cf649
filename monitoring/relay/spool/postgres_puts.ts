import { MAX_BATCH_BYTES } from "../../storage/batches.ts";
import { lock, type PostgresDatabase, type Query } from "../../storage/postgres.ts";
import { SQL } from "./postgres_sql.ts";
import type { PutResult, SpooledEnvelope } from "./spool.ts";

/**
 * With less than this left of the byte limit, processes put one after another. Before that, each may add a batch that
 * the others do not see yet.
 */
const SHARED_LIMIT_BYTES = 16 * MAX_BATCH_BYTES;

/** An envelope to put, with its bytes in a buffer that is not shared. */
export interface Put {
  readonly envelope: SpooledEnvelope;
  readonly body: ArrayBuffer;
  /** Its duplicate key in hexadecimal digits. */
  readonly key: string;
}

/** Puts batches of envelopes into the database. */
export class PostgresPuts {
  readonly #database: PostgresDatabase;
  readonly #maxBytes: number;
  readonly #serverTime: (time: number) => number;
  /** Ids of DSNs in the database. */
  readonly #dsnIds = new Map<string, number>();

  /** @param serverTime converts a time of this machine's clock into the server's */
  constructor(
    database: PostgresDatabase,
    maxBytes: number,
    serverTime: (time: number) => number,
  ) {
    this.#database = database;
    this.#maxBytes = maxBytes;
    this.#serverTime = serverTime;
  }

  /** Puts envelopes in one transaction; the results are in their order. */
  async put(puts: readonly Put[]): Promise<PutResult[]> {
    await this.#learnDsns([...new Set(puts.map(({ envelope }) => envelope.dsn))]);
    return await this.#database.transaction(async (query) => {
      // Until the end of the transaction, so that ids within a sequence follow the order of commits.
      const sequences = puts.flatMap(({ envelope: { dsn, sequence } }) =>
        sequence === undefined ? [] : [`spool sequence ${this.#dsnIds.get(dsn)} ${sequence}`]
      );
      if (sequences.length > 0) await lock(query, sequences);
      const known = await knownKeys(query, puts.map(({ key }) => key));
      const fits = await this.#fitting(query, puts.filter(({ key }) => !known.has(key)));
      const kept = await this.#insert(query, [...fits]);
      return puts.map((put) => {
        if (fits.has(put)) return kept.has(put.key) ? "kept" : "duplicate";
        // A copy in the same batch counts as well.
        return known.has(put.key) || kept.has(put.key) ? "duplicate" : "full";
      });
    });
  }

  /** Those that fit into the byte limit, each key once. */
  async #fitting(query: Query, puts: readonly Put[]): Promise<Set<Put>> {
    const maxBytes = this.#maxBytes;
    const stored = async () => (await query<{ bytes: number }>(SQL.bytes))[0]?.bytes ?? 0;
    const given = puts.reduce((sum, { body }) => sum + body.byteLength, 0);
    let bytes = await stored();
    if (bytes + given > maxBytes - SHARED_LIMIT_BYTES) {
      await lock(query, ["spool limit"]);
      bytes = await stored();
    }
    const fits = new Map<string, Put>();
    for (const put of puts) {
      if (fits.has(put.key) || bytes + put.body.byteLength > maxBytes) continue;
      bytes += put.body.byteLength;
      fits.set(put.key, put);
    }
    return new Set(fits.values());
  }

  /** Inserts envelopes and returns the keys of those that no other transaction has inserted meanwhile. */
  async #insert(query: Query, puts: readonly Put[]): Promise<Set<string>> {
    if (puts.length === 0) return new Set();
    let start = 1;
    const rows = puts.map(({ envelope, body, key }) => {
      const { dsn, sequence, receivedAt, categories, bytes: _, key: __, ...facts } = envelope;
      const row = {
        dsn: this.#dsnIds.get(dsn),
        sequence,
        received_at: this.#serverTime(receivedAt),
        key,
        facts: JSON.stringify(facts),
        categories,
        start,
        bytes: body.byteLength,
      };
      start += body.byteLength;
      return row;
    });
    const bodies = Buffer.concat(puts.map(({ body }) => new Uint8Array(body)));
    const kept = await query<{ key: string }>(SQL.insert, [JSON.stringify(rows), bodies]);
    return new Set(kept.map(({ key }) => key));
  }

  async #learnDsns(dsns: readonly string[]): Promise<void> {
    const missing = dsns.filter((dsn) => !this.#dsnIds.has(dsn)).sort();
    if (missing.length === 0) return;
    await this.#database.transaction((query) => query(SQL.addDsns, [missing]));
    const rows = await this.#database.read<{ id: number; text: string }>(SQL.dsnIds, [missing]);
    for (const { id, text } of rows) this.#dsnIds.set(text, id);
  }
}

/** Those of the keys that are in the spool; all in hexadecimal digits. */
export async function knownKeys(query: Query, keys: readonly string[]): Promise<Set<string>> {
  const rows = await query<{ key: string }>(SQL.known, [keys]);
  return new Set(rows.map(({ key }) => key));
}
