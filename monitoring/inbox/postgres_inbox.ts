import { Batches } from "../storage/batches.ts";
import { isReportedByStore } from "../storage/errors.ts";
import type { PostgresAddress } from "../storage/postgres_address.ts";
import type { GroupAlert, GroupState } from "../models/rows.ts";
import { type Change, envelopeChange, type LogPage, type NotStored } from "./change.ts";
import {
  type AdmittedEnvelope,
  type Inbox,
  InboxClosedError,
  InboxUnavailableError,
} from "./inbox.ts";
import { InboxLog } from "./inbox_log.ts";
import {
  checkMapSize,
  checkSize,
  DAY_MS,
  HOUR_MS,
  type InboxOptions,
  SqliteInbox,
} from "./sqlite_inbox.ts";

export interface PostgresInboxOptions extends InboxOptions {
  readonly address: PostgresAddress;
  /** The file of this server's replica, which several servers on a machine may share. Default: in memory. */
  readonly path?: string;
  /** Milliseconds after which a call to the server fails. Default: 20 seconds. */
  readonly stallMs?: number;
  /** Milliseconds between two checks for what other servers have changed. Default: {@linkcode POLL_MS}. */
  readonly pollMs?: number;
}

/** Finds what other servers have changed, and whether the database can be reached. */
const POLL_MS = 500;
/** Time for the replica to catch up at the start, before the server listens. The rest is read while it answers. */
const START_PATIENCE_MS = 2_000;

/**
 * Opens an inbox that many servers share. PostgreSQL holds the log of all changes. Each server applies it to a replica
 * in SQLite, from which it answers everything that is read, also while PostgreSQL cannot be reached.
 *
 * @throws {DatabaseOpenError} one line for the operator
 */
export async function openPostgresInbox(options: PostgresInboxOptions): Promise<Inbox> {
  const { maxBytes, maxAgeDays = Infinity, now = Date.now } = options;
  const oldestTime = () => now() - maxAgeDays * DAY_MS;
  const log = await InboxLog.open({ ...options, maxBytes, oldestTime });
  try {
    const inbox = new PostgresInbox(log, options);
    await inbox.start();
    return inbox;
  } catch (error) {
    await log.close();
    throw error;
  }
}

/** Envelopes that are applied before other requests are answered: some 20 ms. */
const APPLIED_AT_ONCE = 32;

/** The log of all changes in PostgreSQL, and a replica that answers what is read. */
class PostgresInbox implements Inbox {
  readonly #log: InboxLog;
  readonly #replica: SqliteInbox;
  readonly #options: PostgresInboxOptions;
  readonly #notice: (notice: string) => void;
  #isClosed = false;
  /** Below it the replica has no envelopes. */
  #floor = 0;
  /** False until the replica has been at the end of the log once. */
  #hasCaughtUp = false;
  /** Whether the operator knows that it has not. */
  #isLate = false;
  /** Why nothing can be stored now. */
  #failure: unknown;
  #poll: ReturnType<typeof setTimeout> | undefined;
  readonly #expiry: ReturnType<typeof setInterval>;
  /** Calls during a run share the next one. */
  readonly #runs = new Batches<void, void>({
    run: async (calls) => {
      await this.#follow();
      return calls;
    },
  });

  constructor(log: InboxLog, options: PostgresInboxOptions) {
    this.#log = log;
    this.#options = options;
    this.#notice = options.onNotice ?? console.warn;
    this.#replica = new SqliteInbox({
      ...options,
      isReplica: true,
      // The log decides what is too old, so that all replicas agree.
      maxAgeDays: undefined,
      onGroupAlert: (alert) => this.#onGroupAlert(alert),
    });
    this.#expiry = setInterval(() => void this.#evict(), options.expiryMs ?? HOUR_MS);
    Deno.unrefTimer(this.#expiry as unknown as number);
  }

  /** Starts to follow the log, and waits some time until the replica has caught up. */
  async start(): Promise<void> {
    try {
      // Known before the first envelope is stored, which has the writer's name.
      this.#replica.follow({ log: await this.#log.identity(), last: Infinity, mark: null }, 0);
    } catch (error) {
      this.#setFailure(error);
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, START_PATIENCE_MS));
    const caughtUp = this.#evict().then(() => this.#pollLog());
    await Promise.race([caughtUp, late]);
    clearTimeout(timer);
    if (this.#hasCaughtUp) return;
    this.#isLate = true;
    this.#notice("The inbox is being read from PostgreSQL: its lists are not complete yet.");
  }

  list: Inbox["list"] = (query) => this.#replica.list(query);
  page: Inbox["page"] = (name, query) => this.#replica.page(name, query);
  envelopes: Inbox["envelopes"] = (query) => this.#replica.envelopes(query);
  sources: Inbox["sources"] = (query) => this.#replica.sources(query);
  extent: Inbox["extent"] = () => this.#replica.extent();
  bytes: Inbox["bytes"] = (id) => this.#replica.bytes(id);
  sourceMap: Inbox["sourceMap"] = (key) => this.#replica.sourceMap(key);
  subscribe: Inbox["subscribe"] = (listener) => this.#replica.subscribe(listener);

  async store(envelope: AdmittedEnvelope): Promise<void> {
    checkSize(envelope, this.#options.maxBytes);
    await this.#append(envelopeChange(envelope, this.#replica.writer));
  }

  async storeOnce(envelope: AdmittedEnvelope): Promise<"stored" | NotStored> {
    const result = await this.#append(envelopeChange(envelope, null));
    return typeof result === "string" ? result : "stored";
  }

  async storeSourceMap(key: string, map: Uint8Array): Promise<void> {
    checkMapSize(map, this.#options.maxBytes);
    await this.#append({ kind: "map", key, bytes: map });
  }

  async clear(): Promise<number> {
    return Number(await this.#append({ kind: "clear" }));
  }

  setGroupState(group: string, state: GroupState): Promise<boolean> {
    return this.#changeGroup(group, state);
  }

  deleteGroup(group: string): Promise<boolean> {
    return this.#changeGroup(group, "deleted");
  }

  async #changeGroup(group: string, wanted: GroupState | "deleted"): Promise<boolean> {
    // Another server may have stored its errors just now.
    await this.catchUp(Infinity);
    const state = this.#replica.decideGroup(group, wanted);
    if (state !== undefined) await this.#append({ kind: "group", key: group, state });
    return state !== undefined;
  }

  #onGroupAlert(alert: GroupAlert): void {
    this.#options.onGroupAlert?.(alert);
    const state = alert.kind === "regression" ? this.#replica.groupState(alert.group) : undefined;
    if (state === undefined) return;
    // The envelope that opened a group again may be evicted before a later server reads it.
    this.#append({ kind: "group", key: alert.group, state }).catch(() => {
      // Reported by `#append`. Until the envelope is evicted, every replica finds the regression itself.
    });
  }

  /** Changes the log, and resolves when the replica has the change. */
  async #append(change: Change): Promise<number | NotStored | undefined> {
    return await this.#change(() => this.#log.append(change));
  }

  async #change<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new InboxClosedError();
    let result: T;
    try {
      result = await work();
    } catch (error) {
      this.#setFailure(error);
      throw error;
    }
    // It is stored, even if it cannot be read now. At the start it may take long.
    if (this.#hasCaughtUp) await this.catchUp(Infinity);
    return result;
  }

  async catchUp(cursor: number): Promise<void> {
    if (cursor <= this.#replica.last) return;
    try {
      await this.#runs.add();
    } catch {
      // Reported by `#pollLog`. The replica answers as it is.
    }
  }

  /** Applies what is new in the log to the replica. */
  async #follow(): Promise<void> {
    for (let isBehind = true; isBehind && !this.#isClosed;) {
      const { last } = this.#replica;
      const page = await this.#log.read(last);
      if (this.#isClosed) return;
      // Otherwise it was of another log and is empty now, or another server has applied rows to its file.
      if (this.#replica.follow(page, last) === last) await this.#apply(page);
      isBehind = this.#replica.last < page.last;
    }
    if (this.#isLate && !this.#hasCaughtUp) this.#notice("The inbox's lists are complete.");
    this.#hasCaughtUp = true;
  }

  async #apply({ floor, rows }: LogPage): Promise<void> {
    if (floor !== this.#floor && rows[0]?.kind !== "clear") this.#replica.deleteBefore(floor);
    this.#floor = floor;
    for (const [n, row] of rows.entries()) {
      const { id, ...change } = row;
      this.#replica.apply(
        change.kind === "envelope"
          ? { ...change, ...await this.#replica.indexer.readStored(change) }
          : change,
        id,
      );
      if (change.kind === "group") await this.#replica.deleteErrors(change.key);
      if (n % APPLIED_AT_ONCE === APPLIED_AT_ONCE - 1) {
        await new Promise((resolve) => setTimeout(resolve));
      }
    }
  }

  /** Follows the log until the inbox is closed. Resolves after the first time. */
  async #pollLog(): Promise<void> {
    try {
      // Reading may work where writing does not, for example on a standby server.
      if (this.#failure !== undefined) await this.#log.evict();
      await this.#runs.add();
      this.#setFailure(undefined);
    } catch (error) {
      this.#setFailure(error);
    }
    if (this.#isClosed) return;
    this.#poll = setTimeout(() => void this.#pollLog(), this.#options.pollMs ?? POLL_MS);
    Deno.unrefTimer(this.#poll as unknown as number);
  }

  /** What is too old, while no envelopes arrive. */
  async #evict(): Promise<void> {
    try {
      await this.#change(() => this.#log.evict());
    } catch {
      // Reported by `#change`.
    }
  }

  /** Reports once that nothing can be stored, and once that it can be again. The replica reports what its file lacks. */
  #setFailure(error: unknown): void {
    if (this.#isClosed || isReportedByStore(error)) return;
    if ((error === undefined) === (this.#failure === undefined)) return;
    this.#failure = error;
    const reason = error instanceof InboxUnavailableError ? error.reason : String(error);
    this.#notice(
      error === undefined
        ? "The inbox stores envelopes again."
        : `The inbox cannot store envelopes: ${reason}.`,
    );
    this.#replica.changes.emit("storage");
  }

  canStore(): boolean {
    return this.#failure === undefined && this.#replica.canStore();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#poll);
    clearInterval(this.#expiry);
    this.#replica.close();
    await this.#log.close();
  }
}
