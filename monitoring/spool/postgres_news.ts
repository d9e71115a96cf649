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
      if (hasNews(news)) {
        await this.#database.transaction(async (query) => {
          await lock(query, ["spool news"]);
          await query(SQL.report, [now, news.keys, JSON.stringify(news.limits)]);
        });
        this.#database.sendHint();
      }
      const rows = await this.#database.read<NewsRow>(SQL.reported, [this.#readTo]);
      this.#readTo = rows.at(-1)?.id ?? this.#readTo;
      return rows.map((row) => reportedNews(row, now));
    } catch (error) {
      // After a crash a server that does not sync each commit may give ids again.
      this.#readTo = 0;
      throw error;
    }
  }

  /** Deletes what is too old, or more than any process remembers. */
  async forget(now: number): Promise<void> {
    await this.#database.transaction((query) =>
      query(SQL.forgetNews, [now, REMEMBERED_MS, MAX_NEWS_BYTES])
    );
  }
}
