import type { GroupStates } from "./group_states.ts";
import type { InboxFile, NewEnvelope } from "./inbox_file.ts";
import type { LogPage, LogRow } from "./inbox_log.ts";
import { type InboxOptions, SqliteInbox } from "./sqlite_inbox.ts";

/** Envelopes that are stored in one transaction: it blocks the server for some 10 ms. */
const APPLIED_AT_ONCE = 32;

/** An inbox in SQLite that is the replica of a log: it has what the log's rows, applied in their order, result in. */
export abstract class InboxReplica extends SqliteInbox {
  /** The name under which this replica's servers write to the log. */
  protected writer = "";
  #floor = 0;

  constructor(options: InboxOptions) {
    // The log decides what is too old, so that all replicas agree.
    super({ ...options, maxAgeDays: undefined });
  }

  /** Continues where this replica ended, if it is of this log; else it is empty now. */
  protected attach(log: string): void {
    const { position, writer } = this.shrink((file) => file.follow(log, false));
    this.last = position;
    this.writer = writer;
  }

  /**
   * Applies what was read of the log. Applies nothing if the replica was of another log and is empty now, or if another
   * server has applied rows to its file.
   *
   * @param after the position for which it was read
   * @returns whether the replica is at the end of the log
   */
  protected async follow(page: LogPage, after: number): Promise<boolean> {
    const { log, last, floor, mark, rows } = page;
    // Not `grow`: on a full disk deletions are followed.
    const { position, writer } = this.shrink((file) => {
      const stored = mark && file.envelopeTable.row(mark.id);
      // After a restore of the database, its log ends earlier, or has other rows from then on.
      const isOther = stored ? stored.received_at !== mark?.receivedAt : false;
      return file.follow(log, after > last || isOther);
    });
    if (position < after) this.onCleared();
    this.last = position;
    this.writer = writer;
    if (position !== after) return false;
    if (floor !== this.#floor && rows[0]?.kind !== "clear") {
      this.shrink((file) => file.deleteBefore(floor));
    }
    this.#floor = floor;
    await this.#apply(rows);
    this.last = rows.at(-1)?.id ?? position;
    return this.last >= last;
  }

  async #apply(rows: readonly LogRow[]): Promise<void> {
    let envelopes: (NewEnvelope & Extract<LogRow, { kind: "envelope" }>)[] = [];
    const insert = () => {
      if (envelopes.length === 0) return;
      const alerts = this.grow((file) =>
        file.apply(envelopes, (row) => {
          const { alerts } = file.insert(row);
          // Others are reported by the servers that wrote them.
          return row.writer === this.writer ? alerts : [];
        })
      );
      envelopes = [];
      this.changes.emit("stored");
      for (const alert of alerts.flat()) this.onGroupAlert(alert);
    };
    for (const row of rows) {
      if (row.kind !== "envelope") {
        insert();
        await this.#applyChange(row);
        continue;
      }
      envelopes.push({ ...row, ...await this.indexer.readStored(row) });
      if (envelopes.length < APPLIED_AT_ONCE) continue;
      insert();
      // Other requests are answered in between.
      await new Promise((resolve) => setTimeout(resolve));
    }
    insert();
  }

  async #applyChange(row: Exclude<LogRow, { kind: "envelope" }>): Promise<void> {
    switch (row.kind) {
      case "map": {
        const deleted = this.grow((file) =>
          file.apply([row], ({ key, bytes }) => file.sourceMaps.put(key, bytes))
        );
        // Also if another server has put it into this file.
        return this.forgetMaps([row.key, ...deleted.flat()]);
      }
      case "group":
        this.grow((file) => file.apply([row], ({ state }) => file.groups.put(state)));
        return await this.deleteErrors(row.key);
      case "evict":
        return void this.shrink((file) => file.apply([row], ({ ids }) => file.delete(ids)));
      case "clear":
        this.empty((file) => file.apply([row], ({ id }) => file.clear(id - 1)));
        this.onCleared();
    }
  }

  /** The log has the rows that the file lacks. */
  protected override startAgain(file: InboxFile): void {
    file.unfollow();
  }

  protected get groups(): GroupStates {
    return this.run((file) => file.groups);
  }
}
