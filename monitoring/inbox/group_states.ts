import type { DatabaseSync } from "node:sqlite";
import { placeOf, PLACES } from "../models/index/list_cursor.ts";
import type { ErrorGroupRow, GroupState } from "../models/rows.ts";

/** What people decided about a group of errors, and whether it has come back. */
export type GroupDecision = Pick<ErrorGroupRow, "state" | "regression">;

/**
 * What an arriving error is to its group. `new`: no error of the group is stored. `regression`: the group was
 * resolved, and is open again. `deleted`: the group was deleted after this envelope was stored.
 */
export type Arrival = "new" | "regression" | "known" | "deleted";

/** Groups with a state of their own. Over it, the oldest decisions are forgotten; each has some 100 bytes. */
const MAX_STATES = 10_000;

/** Errors that are deleted in one transaction: it blocks the server for some 10 ms. */
export const DELETED_AT_ONCE = 1_000;

/** Columns of `group_states`. */
interface StateRow {
  readonly state: GroupState | "regressed";
  /** When the state was changed, milliseconds since 1970. */
  readonly changed_at: number;
  readonly resolved_in: string | null;
  readonly regressed_in: string | null;
  readonly deleted: number;
  readonly newest: number;
}

/** When a person changes a group. */
export interface GroupChange {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Id of the newest envelope. */
  readonly newest: number;
}

/** The states of groups of errors. Call all but {@linkcode of} in a transaction. */
export class GroupStates {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db);
  }

  of(group: string): GroupDecision {
    const row = this.#row(group);
    if (row?.state !== "regressed") return { state: row?.state ?? "open", regression: null };
    const { regressed_in, resolved_in } = row;
    return { state: "open", regression: { release: regressed_in, resolved_in } };
  }

  /**
   * Classifies an error before it is indexed, and opens its group if it had been resolved before.
   *
   * @param receivedAt of the envelope, milliseconds since 1970
   * @param release that sent it
   */
  arrive(
    group: string,
    { envelope, receivedAt, release }: {
      readonly envelope: number;
      readonly receivedAt: number;
      readonly release: string | null;
    },
  ): Arrival {
    const row = this.#row(group);
    if (row && envelope <= row.deleted) return "deleted";
    // Imported errors may have an older time; errors of the same millisecond differ by their envelope.
    if (row?.state === "resolved" && envelope > row.newest && receivedAt >= row.changed_at) {
      this.#sql.regress.run(release, receivedAt, group);
      this.#sql.countChange.run();
      return "regression";
    }
    const isKnown = (row && row.state !== "open") || this.#hasEntries(group, row) ||
      // Until all envelopes are indexed, any group may have older errors.
      this.#sql.backlog.get() !== undefined;
    return isKnown ? "known" : "new";
  }

  /**
   * Sets the state of a group.
   *
   * @returns false: there is no such group
   */
  set(group: string, state: GroupState, change: GroupChange): boolean {
    if (!this.#exists(group)) return false;
    const { release = null } = (this.#sql.release.get(group) ?? {}) as { release?: string };
    this.#change(group, state, change, release, 0);
    return true;
  }

  /**
   * Deletes a group up to the newest envelope. The envelopes stay, and would be indexed again by a later version, so
   * the group remembers up to which one it was deleted. Call {@linkcode deleteErrors} until all of its errors are deleted.
   *
   * @returns false: there is no such group
   */
  delete(group: string, change: GroupChange): boolean {
    if (!this.#exists(group)) return false;
    this.#change(group, "open", change, null, change.newest);
    return true;
  }

  /** Deletes some errors of a deleted group from the index. Returns whether there may be more. */
  deleteErrors(group: string): boolean {
    const { changes } = this.#sql.deleteErrors.run(group, group, DELETED_AT_ONCE);
    if (changes === DELETED_AT_ONCE) return true;
    this.#sql.countChange.run();
    return false;
  }

  /** The deleted groups that still have errors, because the server was stopped. */
  halfDeleted(): string[] {
    return this.#sql.halfDeleted.all().map((row) => (row as { group_key: string }).group_key);
  }

  /** A group without errors exists while it is resolved, muted or regressed: they may have been evicted. */
  #exists(group: string): boolean {
    const row = this.#row(group);
    return (row?.state ?? "open") !== "open" || this.#hasEntries(group, row);
  }

  /** Whether the group has errors that are not being deleted. */
  #hasEntries(group: string, row: StateRow | undefined): boolean {
    return this.#sql.hasEntries.get(group, placeOf((row?.deleted ?? 0) + 1, 0)) !== undefined;
  }

  #change(
    group: string,
    state: GroupState,
    { now, newest }: GroupChange,
    release: string | null,
    deleted: number,
  ): void {
    this.#sql.set.run(group, state, now, release, deleted, newest);
    this.#sql.forget.run(MAX_STATES);
    this.#sql.countChange.run();
  }

  #row(group: string): StateRow | undefined {
    return this.#sql.row.get(group) as StateRow | undefined;
  }
}

function prepare(db: DatabaseSync) {
  return {
    row: db.prepare("SELECT * FROM group_states WHERE group_key = ?"),
    hasEntries: db.prepare(
      "SELECT 1 FROM error_entries WHERE group_key = ? AND place >= ? LIMIT 1",
    ),
    backlog: db.prepare("SELECT 1 FROM totals WHERE backlog > 0"),
    release: db.prepare(
      "SELECT (SELECT release FROM releases WHERE id = e.release) AS release FROM error_entries AS e" +
        " WHERE group_key = ? ORDER BY place DESC LIMIT 1",
    ),
    set: db.prepare(
      "INSERT INTO group_states VALUES (?, ?, ?, ?, NULL, ?, ?) ON CONFLICT DO UPDATE SET" +
        " state = excluded.state, changed_at = excluded.changed_at, regressed_in = NULL," +
        " resolved_in = excluded.resolved_in, deleted = max(deleted, excluded.deleted)," +
        " newest = excluded.newest",
    ),
    regress: db.prepare(
      "UPDATE group_states SET state = 'regressed', regressed_in = ?, changed_at = ?" +
        " WHERE group_key = ?",
    ),
    deleteErrors: db.prepare(
      "DELETE FROM error_entries WHERE place IN (SELECT place FROM error_entries WHERE group_key = ?" +
        ` AND place < (SELECT (deleted + 1) * ${PLACES} FROM group_states WHERE group_key = ?) LIMIT ?)`,
    ),
    halfDeleted: db.prepare(
      "SELECT group_key FROM group_states AS g WHERE deleted > 0 AND EXISTS (SELECT 1 FROM" +
        " error_entries AS e WHERE e.group_key = g.group_key" +
        ` AND e.place < (g.deleted + 1) * ${PLACES})`,
    ),
    forget: db.prepare(
      "DELETE FROM group_states WHERE group_key IN" +
        " (SELECT group_key FROM group_states ORDER BY changed_at DESC LIMIT -1 OFFSET ?)",
    ),
    countChange: db.prepare("UPDATE totals SET group_changes = group_changes + 1"),
  };
}
