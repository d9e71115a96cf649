import type { DatabaseSync, StatementSync } from "node:sqlite";
import { transaction } from "../storage/open_database.ts";

/**
 * Source maps of other applications, by debug id, or by a script's address if its build writes no debug ids. The
 * oldest are evicted.
 */
export class SourceMapTable {
  readonly #db: DatabaseSync;
  readonly #maxBytes: number;
  readonly #get: StatementSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #sizes: StatementSync;

  /** @param maxBytes of all maps */
  constructor(db: DatabaseSync, maxBytes: number) {
    this.#db = db;
    this.#maxBytes = maxBytes;
    this.#get = db.prepare("SELECT map FROM source_maps WHERE key = ?");
    this.#insert = db.prepare("INSERT INTO source_maps (key, bytes, map) VALUES (?, ?, ?)");
    this.#delete = db.prepare("DELETE FROM source_maps WHERE key = ?");
    this.#sizes = db.prepare("SELECT key, bytes FROM source_maps ORDER BY id DESC");
  }

  get(key: string): Uint8Array<ArrayBuffer> | undefined {
    return (this.#get.get(key) as { map: Uint8Array<ArrayBuffer> } | undefined)?.map;
  }

  /**
   * Replaces the map with the same key. The caller has checked that the map alone is within the limit.
   *
   * @returns the keys whose earlier maps are deleted now
   */
  put(key: string, map: Uint8Array): readonly string[] {
    return transaction(this.#db, () => {
      const deleted = [key];
      this.#delete.run(key);
      this.#insert.run(key, map.byteLength, map);
      let total = 0;
      for (const row of this.#sizes.all() as unknown as { key: string; bytes: number }[]) {
        total += row.bytes;
        if (total <= this.#maxBytes) continue;
        this.#delete.run(row.key);
        deleted.push(row.key);
      }
      return deleted;
    });
  }

  deleteAll(): void {
    this.#db.exec("DELETE FROM source_maps");
  }
}
