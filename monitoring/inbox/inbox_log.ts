import { Buffer } from "node:buffer";
import { Batches, MAX_BATCH_BYTES } from "../storage/batches.ts";
import type { PostgresDatabase } from "../storage/postgres.ts";
import { failureReason, isInvalidValue } from "../storage/postgres_errors.ts";
import type { Query, TransactionPurpose } from "../storage/sql_driver.ts";
import { type GroupStateRow, MAX_STATES } from "./group_states.ts";
import type { Change, ChangeLogEntry, EnvelopeChange, LogPage } from "./change.ts";
import {
  type InboxOptions,
  InboxUnavailableError,
  type NotStored,
  oldestTimeOf,
} from "./inbox_types.ts";
import { maxSourceMapBytes } from "./inbox_file.ts";
import { SQL } from "./postgres_sql.ts";

const PAGE = [256, MAX_BATCH_BYTES];
/** Sizes that are read at once to find the envelopes to evict. */
const SIZES = 100;

type Size = Readonly<Record<"id" | "bytes", number>>;

/**
 * The log of an inbox in PostgreSQL. One transaction at a time writes to it, so ids follow the order of commits. All calls
 * throw {@linkcode InboxUnavailableError}.
 */
export class InboxLog {
  readonly #envelopes = new Batches<EnvelopeChange, number>({
    run: (envelopes) =>
      this.#write("add", async (log) => {
        await this.#evict(log, envelopes.reduce((sum, { bytes }) => sum + bytes.byteLength, 0));
        return envelopes.map((envelope) => log.add(envelope));
      }),
    sizeOf: ({ bytes }) => bytes.byteLength,
    isItemError: (error) => isInvalidValue((error as Error).cause ?? error),
  });

  constructor(readonly database: PostgresDatabase, readonly options: InboxOptions) {}

  /**
   * Appends a change, and deletes what it makes superfluous or what is over a limit.
   *
   * @returns its id once it is on disk; undefined: the log has a later state of the group
   */
  append(change: Change): Promise<number | NotStored | undefined> {
    if (change.kind === "envelope" && change.writer !== null) return this.#envelopes.add(change);
    const purpose = change.kind === "group" || change.kind === "clear" ? "change" : "add";
    return this.#write(purpose, (log) => this.#append(log, change));
  }

  async #append(log: OpenLog, change: Change): Promise<number | NotStored | undefined> {
    switch (change.kind) {
      case "envelope": {
        const { receivedAt, bytes, contentEncoding } = change;
        if (receivedAt < oldestTimeOf(this.options)) return "too old";
        const same = [receivedAt, bytes.byteLength, contentEncoding, bytes];
        if ((await log.query(SQL.same, same)).length > 0) return "present";
        if (log.bytes + bytes.byteLength > this.options.maxBytes) return "no room";
        return log.add(change);
      }
      case "map": {
        const others = maxSourceMapBytes(this.options.maxBytes) - change.bytes.byteLength;
        await log.query(SQL.deleteKey, ["map", change.key]);
        await log.query(SQL.evictMaps, [others]);
        return log.add(change);
      }
      case "group": {
        const { key, state } = change;
        const [row] = await log.query<{ state: GroupStateRow }>(SQL.group, [key]);
        if (state.state === "regressed" && row && row.state.newest > state.newest) return undefined;
        // Another server may have deleted it just now.
        const deleted = Math.max(state.deleted, row?.state.deleted ?? 0);
        await log.query(SQL.deleteKey, ["group", key]);
        await log.query(SQL.forgetGroups, [MAX_STATES - 1]);
        return log.add({ kind: "group", key, state: { ...state, deleted } });
      }
      case "clear":
        await log.query(SQL.clear);
        log.bytes = 0;
        return log.add(change);
    }
  }

  /** Deletes what is over the limits. Rejects if the database does not accept writes, as `add` also if its disk is full. */
  evict(purpose: TransactionPurpose): Promise<void> {
    return this.#write(purpose, (log) => this.#evict(log, 0));
  }

  /** As {@linkcode LogPage.log}. Also while rows cannot be read, because the table is locked. */
  async identity(): Promise<string> {
    const [state] = await this.database.read<Pick<LogPage, "log">>(SQL.identity)
      .catch(throwUnavailable);
    return state!.log;
  }

  async read(after: number): Promise<LogPage> {
    const found = await this.database.read<
      Omit<LogPage, "rows"> & Omit<ChangeLogEntry, "kind"> & {
        readonly kind: Change["kind"] | null;
        readonly data: Record<string, unknown>;
        readonly body: Uint8Array | null;
      }
    >(SQL.read, [after, ...PAGE]).catch(throwUnavailable);
    const [state] = found;
    if (!state) throw new InboxUnavailableError("the log has no state");
    const rows = found.flatMap(({ id, kind, data, body }) =>
      kind === null ? [] : [{ ...data, id, kind, ...body && { bytes: body } } as ChangeLogEntry]
    );
    const { log, last, floor, mark } = state;
    // The rows up to `last` may have been deleted as too old: the replica continues after them.
    if (rows.length === 0 && last > after) rows.push({ kind: "skip", id: last });
    return { log, last, floor, mark, rows };
  }

  close(): Promise<void> {
    return this.database.close();
  }

  async #write<T>(
    purpose: TransactionPurpose,
    work: (log: OpenLog) => Promise<T>,
  ): Promise<T> {
    return await this.database.transaction(purpose, async (query) => {
      const [state] = await query<{ last: number; bytes: number }>(SQL.lock);
      if (!state) throw new Error("the log has no state");
      const log = new OpenLog(query, state.last, state.bytes);
      const result = await work(log);
      await log.save();
      return result;
    }).catch(throwUnavailable);
  }

  /** Deletes envelopes that are too old, then the oldest over the limit of bytes. */
  async #evict(log: OpenLog, incoming: number): Promise<void> {
    const time = oldestTimeOf(this.options);
    const tooOld = time === -Infinity ? [] : await log.query<Size>(SQL.expire, [time]);
    for (const { bytes } of tooOld) log.bytes -= bytes;
    const excess = () => log.bytes + incoming - this.options.maxBytes;
    while (excess() > 0) {
      const ids: number[] = [];
      for (const { id, bytes } of await log.query<Size>(SQL.oldest, [SIZES])) {
        if (excess() <= 0) break;
        ids.push(id);
        log.bytes -= bytes;
      }
      // None is left: the batch alone is larger than the limit. It is stored, and evicted for the next one.
      if (ids.length === 0) break;
      await log.query(SQL.delete, [ids]);
    }
  }
}

function throwUnavailable(error: unknown): never {
  throw new InboxUnavailableError(failureReason(error), { cause: error });
}

/** The log while it is locked by a transaction. */
class OpenLog {
  readonly #rows: unknown[] = [];
  readonly #bodies: Uint8Array[] = [];
  /** Where the next body begins, from 1. */
  #start = 1;

  /** @param last the highest id so far. @param bytes of all envelopes */
  constructor(readonly query: Query, public last: number, public bytes: number) {}

  /** Adds a change, which `save` writes. Returns its id. */
  add(change: Change): number {
    const { kind, bytes: body = new Uint8Array(), ...data }: { kind: string; bytes?: Uint8Array } =
      change;
    const bytes = body.byteLength;
    this.#rows.push({ id: ++this.last, kind, data, bytes, start: this.#start });
    this.#bodies.push(body);
    this.#start += bytes;
    if (kind === "envelope") this.bytes += bytes;
    return this.last;
  }

  async save(): Promise<void> {
    if (this.#rows.length > 0) {
      await this.query(SQL.insert, [JSON.stringify(this.#rows), Buffer.concat(this.#bodies)]);
    }
    await this.query(SQL.setState, [this.last, this.bytes]);
  }
}
