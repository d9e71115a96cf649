import { Batches } from "../storage/batches.ts";
import { isReportedByStore } from "../storage/errors.ts";
import type { PostgresAddress } from "../storage/postgres_address.ts";
import type { GroupAlert, GroupState } from "../models/rows.ts";
import {
  type AdmittedEnvelope,
  EnvelopeTooLargeError,
  type Inbox,
  InboxClosedError,
  InboxUnavailableError,
  SourceMapTooLargeError,
} from "./inbox.ts";
import { maxSourceMapBytes } from "./inbox_file.ts";
import { InboxLog, type LoggedEnvelope } from "./inbox_log.ts";
import { InboxReplica } from "./inbox_replica.ts";
import { DAY_MS, HOUR_MS, type InboxOptions } from "./sqlite_inbox.ts";

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

class PostgresInbox extends InboxReplica {
  readonly #log: InboxLog;
  readonly #pollMs: number;
  #isClosed = false;
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
    concurrency: 1,
    run: async (calls) => {
      await this.#follow();
      return calls;
    },
  });

  constructor(log: InboxLog, options: PostgresInboxOptions) {
    super(options);
    this.#log = log;
    this.#pollMs = options.pollMs ?? POLL_MS;
    this.#expiry = setInterval(() => void this.#evict(), options.expiryMs ?? HOUR_MS);
    Deno.unrefTimer(this.#expiry as unknown as number);
  }

  /** Starts to follow the log, and waits some time until the replica has caught up. */
  async start(): Promise<void> {
    try {
      // Known before the first envelope is stored, which has the writer's name.
      this.attach(await this.#log.identity());
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

  override async store(envelope: AdmittedEnvelope): Promise<void> {
    const { maxBytes } = this.options;
    const { byteLength } = envelope.bytes;
    if (byteLength > maxBytes) throw new EnvelopeTooLargeError(byteLength, maxBytes);
    await this.#append(() => this.#log.append(logged(envelope, this.writer)));
  }

  override storeOnce(
    envelope: AdmittedEnvelope,
  ): Promise<"stored" | "present" | "no room" | "too old"> {
    return this.#append(async () => {
      const id = await this.#log.appendOnce(logged(envelope, null));
      return typeof id === "number" ? "stored" : id;
    });
  }

  override async storeSourceMap(key: string, map: Uint8Array): Promise<void> {
    const max = maxSourceMapBytes(this.options.maxBytes);
    if (map.byteLength > max) throw new SourceMapTooLargeError(max);
    await this.#append(() => this.#log.appendMap(key, map));
  }

  override clear(): Promise<number> {
    return this.#append(() => this.#log.clear());
  }

  override setGroupState(group: string, state: GroupState): Promise<boolean> {
    return this.#changeGroup(group, state);
  }

  override deleteGroup(group: string): Promise<boolean> {
    return this.#changeGroup(group, "deleted");
  }

  async #changeGroup(group: string, state: GroupState | "deleted"): Promise<boolean> {
    // Another server may have stored its errors just now.
    await this.catchUp(Infinity);
    const now = this.options.now?.() ?? Date.now();
    return await this.#append(async () => {
      const id = await this.#log.appendGroup(group, (newest, current) => {
        const row = this.groups.decide(group, state, { now, newest });
        return row && { ...row, deleted: Math.max(row.deleted, current?.deleted ?? 0) };
      });
      return id !== undefined;
    });
  }

  protected override onGroupAlert(alert: GroupAlert): void {
    super.onGroupAlert(alert);
    if (alert.kind === "regression") void this.#logRegression(alert.group);
  }

  /** The envelope that opened a group again may be evicted before a later server reads it, so the log has the state too. */
  async #logRegression(group: string): Promise<void> {
    try {
      const state = this.groups.row(group);
      if (state === undefined) return;
      await this.#append(() =>
        this.#log.appendGroup(
          group,
          (_, current) => current && current.newest > state.newest ? undefined : state,
        )
      );
    } catch {
      // Reported by `#append`. Until the envelope is evicted, every replica finds the regression itself.
    }
  }

  /** Changes the log, and resolves when the replica has the change. */
  async #append<T>(change: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new InboxClosedError();
    let result: T;
    try {
      result = await change();
    } catch (error) {
      this.#setFailure(error);
      throw error;
    }
    // It is stored, even if it cannot be read now. At the start it may take long.
    if (this.#hasCaughtUp) await this.catchUp(Infinity);
    return result;
  }

  async catchUp(cursor: number): Promise<void> {
    if (cursor <= this.last) return;
    try {
      await this.#runs.add();
    } catch {
      // Reported by `#pollLog`. The replica answers as it is.
    }
  }

  /** Applies what is new in the log to the replica. */
  async #follow(): Promise<void> {
    for (let isBehind = true; isBehind && !this.#isClosed;) {
      const { last } = this;
      const page = await this.#log.read(last);
      if (this.#isClosed) return;
      isBehind = !await this.follow(page, last);
    }
    if (this.#isLate && !this.#hasCaughtUp) this.#notice("The inbox's lists are complete.");
    this.#hasCaughtUp = true;
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
    this.#poll = setTimeout(() => void this.#pollLog(), this.#pollMs);
    Deno.unrefTimer(this.#poll as unknown as number);
  }

  /** What is too old, while no envelopes arrive. */
  async #evict(): Promise<void> {
    try {
      await this.#append(() => this.#log.evict());
    } catch {
      // Reported by `#append`.
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
    this.changes.emit("storage");
  }

  #notice(notice: string): void {
    (this.options.onNotice ?? console.warn)(notice);
  }

  override canStore(): boolean {
    return this.#failure === undefined && super.canStore();
  }

  override async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#poll);
    clearInterval(this.#expiry);
    super.close();
    await this.#log.close();
  }
}

function logged(
  { bytes, contentEncoding, receivedAt, isOwn, dsnKey }: AdmittedEnvelope,
  writer: string | null,
): LoggedEnvelope {
  return { bytes, contentEncoding, receivedAt, isOwn, dsnKey, writer };
}
