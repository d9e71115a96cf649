import { REMEMBERED_MS } from "../protocol/server_news.ts";
import { lock, type PostgresDatabase } from "../storage/postgres.ts";
import { hasNews, MAX_NEWS_BYTES, type NewsRow, reportedNews } from "./news.ts";
import { SQL } from "./postgres_sql.ts";
import type { ReportedNews, ServerNews } from "./spool.ts";

/** The news that processes on one database exchange, as `Spool.exchange`. Times are the server's. */
export class PostgresNews {
  readonly #database: PostgresDatabase;
  /** The last id that was read. */
  #readTo = 0;

  constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  async exchange(news: ServerNews, now: number): Promise<ReportedNews[]> {
    try {
      const own = hasNews(news) ? await this.#report(news, now) : 0;
      const rows = await this.#database.read<NewsRow>(SQL.reported, [this.#readTo, own]);
      this.#readTo = Math.max(this.#readTo, own, rows.at(-1)?.id ?? 0);
      return rows.map((row) => reportedNews(row, now));
    } catch (error) {
      // After a crash a server that does not sync each commit may give ids again.
      this.#readTo = 0;
      throw error;
    }
  }

  /** Returns the id of what was reported. */
  async #report({ keys, limits }: ServerNews, now: number): Promise<number> {
    const [row] = await this.#database.transaction(async (query) => {
      await lock(query, ["spool news"]);
      return await query<{ id: number }>(SQL.report, [now, keys, JSON.stringify(limits)]);
    });
    this.#database.sendHint();
    return row!.id;
  }

  /** Deletes what is too old, or more than any process remembers. */
  async forget(now: number): Promise<void> {
    await this.#database.transaction((query) =>
      query(SQL.forgetNews, [now, REMEMBERED_MS, MAX_NEWS_BYTES])
    );
  }
}
