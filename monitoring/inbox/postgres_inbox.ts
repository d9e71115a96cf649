import { withTimeout } from "../protocol/with_timeout.ts";
import { Batches } from "../storage/batches.ts";
import { isReportedByStore } from "../storage/errors.ts";
import { PostgresDatabase } from "../storage/postgres.ts";
import type { PostgresAddress } from "../storage/postgres_address.ts";
import { isLocked } from "../storage/postgres_errors.ts";
import type { GroupAlert } from "../models/error/error_row.ts";
import type { Change, LogPage } from "./change.ts";
import { Inbox, type Replication } from "./inbox.ts";
import { InboxLog } from "./inbox_log.ts";
import { InboxClosedError, type InboxOptions, InboxUnavailableError } from "./inbox_types.ts";
import { POSTGRES_INBOX_SCHEMA } from "./postgres_sql.ts";

export interface PostgresInboxOptions extends InboxOptions {
  readonly address: PostgresAddress;
}

/** Milliseconds between two checks for what other servers have changed, and whether the database can be reached. */
const POLL_MS = 500;
/** Time for the replica to catch up at the start, before the server listens. The rest is read while it answers. */
const START_PATIENCE_MS = 2_000;
/** Envelopes that are applied before other requests are answered: some 20 ms. */
const APPLIED_AT_ONCE = 32;

/**
 * Opens an inbox that many servers share. Each applies the log in PostgreSQL to a replica in SQLite, from which it answers
 * everything that is read, also while PostgreSQL cannot be reached. @throws {DatabaseOpenError} one line for the operator
 */
export async function openPostgresInbox(options: PostgresInboxOptions): Promise<Inbox> {
  const { address } = options;
  const schema = POSTGRES_INBOX_SCHEMA;
  const log = new InboxLog(
    await PostgresDatabase.open({ store: "inbox", address, schema }),
    options,
  );
  const follower = new LogFollower(log, options.onNotice ?? console.warn);
  try {
    const onGroupAlert = (alert: GroupAlert) => {
      options.onGroupAlert?.(alert);
      follower.keepRegression(alert);
    };
    const inbox = new Inbox({ ...options, onGroupAlert }, follower);
    await follower.start(inbox);
    return inbox;
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Writes the changes of an inbox to a log, and applies the log to the inbox. */
class LogFollower implements Replication {
  writer = "";
  failure: string | undefined;
  #replica!: Inbox;
  #position = 0;
  /** Envelopes with lower ids are deleted in the replica. */
  #floor = 0;
  /** False until the replica has been at the end of the log once. */
  #hasCaughtUp = false;
  #isLate = false;
  /** Counts failures, of writing and of reading. */
  #failures = 0;
  #isClosed = false;
  #poll: ReturnType<typeof setTimeout> | undefined;
  /** Calls during a run share the next one. */
  readonly #runs = new Batches<void, void>({
    run: async (calls) => {
      await this.#follow();
      return calls;
    },
  });

  constructor(readonly log: InboxLog, readonly notice: (notice: string) => void) {}

  /** Starts to follow the log, and waits some time until the replica has caught up. */
  async start(replica: Inbox): Promise<void> {
    this.#replica = replica;
    this.#position = replica.extent().last;
    try {
      // Before the first envelope is stored: its change in the log needs `writer`.
      this.#replicate({ log: await this.log.identity(), last: Infinity, mark: null }, 0);
    } catch (error) {
      this.#setFailure(error);
    }
    await withTimeout(START_PATIENCE_MS, this.expire().then(() => this.#pollLog()));
    if (this.#hasCaughtUp) return;
    this.#isLate = true;
    this.notice("The inbox is being read from PostgreSQL: its lists are not complete yet.");
  }

  /** The envelope that opened a group again may be evicted before a later server reads it. */
  keepRegression({ kind, group: key }: GroupAlert): void {
    if (kind !== "regression") return;
    const state = this.#replica.run((file) => file.groups.row(key));
    if (state === undefined) return;
    this.commit({ kind: "group", key, state }).catch(() => {
      // `#write` reports it. Until the envelope is evicted, every replica finds the regression itself.
    });
  }

  commit(change: Change): Promise<unknown> {
    return this.#write(() => this.log.append(change));
  }

  async #write<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new InboxClosedError();
    let result: T;
    try {
      result = await work();
    } catch (error) {
      this.#setFailure(error);
      throw error;
    }
    // It is stored, even if it cannot be read now. During the start this would wait for the whole log.
    if (this.#hasCaughtUp) await this.catchUp(Infinity);
    return result;
  }

  async catchUp(cursor: number): Promise<void> {
    if (cursor <= this.#position) return;
    try {
      await this.#runs.add();
    } catch {
      // Reported by `#pollLog`. The replica answers as it is.
    }
  }

  async #follow(): Promise<void> {
    for (let isBehind = true; isBehind && !this.#isClosed;) {
      const after = this.#position;
      const page = await this.log.read(after);
      if (this.#isClosed) return;
      // If they differ, the file was emptied, or another server has applied rows to it: reads again from its position.
      if (this.#replicate(page, after) === after) await this.#apply(page);
      isBehind = this.#position < page.last;
    }
    // The log has no entries for envelopes that became too old.
    this.#replica.shrink((file) => file.evict());
    if (this.#isLate && !this.#hasCaughtUp) this.notice("The inbox's lists are complete.");
    this.#hasCaughtUp = true;
  }

  /** See {@linkcode InboxFile.follow}. Returns the id up to which the log was applied. */
  #replicate(page: Pick<LogPage, "log" | "last" | "mark">, after: number): number {
    const { position, writer } = this.#replica.follow(page, after);
    this.#position = position;
    this.writer = writer;
    return position;
  }

  async #apply({ floor, rows }: LogPage): Promise<void> {
    if (floor !== this.#floor && rows[0]?.kind !== "clear") {
      this.#replica.shrink((file) => file.delete(0, floor - 1));
    }
    this.#floor = floor;
    for (const [n, row] of rows.entries()) {
      const { id, ...change } = row;
      await this.#replica.apply(change, id);
      this.#position = id;
      if (n % APPLIED_AT_ONCE === APPLIED_AT_ONCE - 1) {
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
  }

  /** Follows the log until the inbox is closed. Resolves after the first time. */
  async #pollLog(): Promise<void> {
    const failures = this.#failures;
    try {
      // Reading may work where writing does not: on a standby server, or a full disk.
      if (this.failure !== undefined) await this.log.evict("add");
      await this.#runs.add();
      // Unless a write failed meanwhile.
      if (failures === this.#failures) this.#setFailure(undefined);
    } catch (error) {
      this.#setFailure(error);
    }
    if (this.#isClosed) return;
    this.#poll = setTimeout(() => void this.#pollLog(), POLL_MS);
    Deno.unrefTimer(this.#poll as unknown as number);
  }

  async expire(): Promise<void> {
    try {
      await this.#write(() => this.log.evict("change"));
    } catch {
      // Reported by `#write`.
    }
  }

  /**
   * Records whether the log can be written. Failures of the replica's file are reported by its database. A lock that
   * prevents a deletion, such as that of a `pg_dump`, prevents no additions.
   */
  #setFailure(error: unknown): void {
    if (this.#isClosed || isReportedByStore(error) || isLocked((error as Error)?.cause)) return;
    const reason = error instanceof InboxUnavailableError ? error.reason : String(error);
    this.failure = error === undefined ? undefined : `${reason}.`;
    if (error !== undefined) this.#failures++;
    // Reports a change.
    this.#replica.canStore();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#poll);
    await this.log.close();
  }
}
