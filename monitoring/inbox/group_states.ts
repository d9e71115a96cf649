import type { DatabaseSync, SQLTagStore } from "node:sqlite";
import { KEYS_PER_ENVELOPE, rowKeyOf } from "../models/index/list_cursor.ts";
import type { ErrorGroupRow, GroupState } from "../models/error/error_row.ts";

/**
 * What an arriving error is to its group. `new`: the first one. `regression`: the group was resolved, and is open again.
 * `deleted`: the group was deleted after this envelope was stored.
 */
export type Arrival = "new" | "regression" | "known" | "deleted";

/** Maximum number of groups whose state is stored; the oldest states are forgotten. Each takes some 100 bytes. */
export const MAX_STATES = 10_000;

/** Errors that are deleted in one transaction, which blocks the server for some 10 ms. */
export const DELETED_AT_ONCE = 1_000;

export interface GroupStateRow {
  readonly group_key: string;
  readonly state: GroupState | "regressed";
  /** When the state was changed, milliseconds since 1970. */
  readonly changed_at: number;
  readonly resolved_in: string | null;
  readonly regressed_in: string | null;
  readonly deleted: number;
  readonly newest: number;
}

export interface FoundState
  extends Pick<GroupStateRow, "changed_at" | "regressed_in" | "resolved_in"> {
  /** Null: the group has no row. */
  readonly state: GroupStateRow["state"] | null;
}

/** What people decided about a group of errors, and whether it has come back. */
export function decisionOf(
  { state, changed_at, regressed_in, resolved_in }: FoundState,
): Pick<ErrorGroupRow, "state" | "regression"> {
  if (state !== "regressed") return { state: state ?? "open", regression: null };
  return { state: "open", regression: { release: regressed_in, resolved_in, at: changed_at } };
}

/** The states of groups of errors. Methods that write must be called in a transaction. */
export class GroupStates {
  readonly #sql: SQLTagStore;

  constructor(db: DatabaseSync) {
    this.#sql = db.createTagStore();
  }

  /**
   * Classifies an error before it is indexed, and opens its group if it had been resolved before.
   *
   * @param former the group's key in an earlier version, whose state it has until it gets its own
   */
  arrive(
    { group, former }: { readonly group: string; readonly former?: string },
    { envelope, receivedAt, application, release }: {
      readonly envelope: number;
      readonly receivedAt: number;
      readonly application: number;
      readonly release: string | null;
    },
  ): Arrival {
    const inherited = former === undefined || this.row(group) ? undefined : this.row(former);
    if (inherited) this.put({ ...inherited, group_key: group });
    const row = this.row(group);
    if (row && envelope <= row.deleted) return "deleted";
    // Imported errors may have an older time; errors of the same millisecond differ by their envelope.
    if (row?.state === "resolved" && envelope > row.newest && receivedAt >= row.changed_at) {
      // Of its application: the newest error of all may be of one that never had that release.
      this.#sql.run`UPDATE group_states SET state = 'regressed', regressed_in = ${release},
        resolved_in = (SELECT (SELECT release FROM releases WHERE id = e.release)
          FROM error_entries AS e WHERE group_key = ${group} AND application = ${application}
          AND row_key < ${rowKeyOf(row.newest + 1, 0)} ORDER BY row_key DESC LIMIT 1),
        changed_at = ${receivedAt} WHERE group_key = ${group}`;
      this.#countChange();
      return "regression";
    }
    return this.#exists(group, row) ? "known" : "new";
  }

  /**
   * The row of a group after a change, for {@linkcode put}; undefined: there is no such group.
   *
   * @param state `deleted`: its errors up to `newest` are deleted, also when the envelopes are indexed again
   * @param newest id of the newest envelope
   */
  decide(
    group: string,
    state: GroupState | "deleted",
    { now, newest }: { readonly now: number; readonly newest: number },
  ): GroupStateRow | undefined {
    const row = this.row(group);
    if (!this.#exists(group, row)) return undefined;
    const isDeletion = state === "deleted";
    // Feedback has a state as groups have, by its key. It is not deleted.
    if (isDeletion && group.length === 15) return undefined;
    return {
      group_key: group,
      state: isDeletion ? "open" : state,
      changed_at: now,
      resolved_in: null,
      regressed_in: null,
      deleted: isDeletion ? newest : row?.deleted ?? 0,
      newest,
    };
  }

  /** Gives a group that has no errors yet the state of the one that its first error was in. */
  inherit(group: string, from: string): void {
    const [row, state] = [this.row(group), this.row(from)];
    if (state && row === undefined && !this.#exists(group, row)) {
      this.put({ ...state, group_key: group });
    } else this.#countChange();
  }

  /** Sets a group's row. If errors are deleted, call {@linkcode deleteErrors} until all are. */
  put(row: GroupStateRow): void {
    const { group_key, state, changed_at, resolved_in, regressed_in, deleted, newest } = row;
    this.#sql.run`INSERT OR REPLACE INTO group_states VALUES (${group_key}, ${state}, ${changed_at},
      ${resolved_in}, ${regressed_in}, ${deleted}, ${newest})`;
    // A log contains states of groups of earlier versions.
    this.#sql
      .run`INSERT OR IGNORE INTO group_states SELECT DISTINCT e.group_key, g.state, g.changed_at,
      g.resolved_in, g.regressed_in, g.deleted, g.newest FROM group_states AS g
      JOIN error_entries AS e ON e.former_key = g.group_key WHERE g.group_key = ${group_key}`;
    this.#sql.run`DELETE FROM group_states WHERE group_key IN
      (SELECT group_key FROM group_states ORDER BY changed_at DESC LIMIT -1 OFFSET ${MAX_STATES})`;
    this.#countChange();
  }

  /** Deletes some errors of a deleted group from the index. Returns whether there may be more. */
  deleteErrors(group: string): boolean {
    const { changes } = this.#sql.run`DELETE FROM error_entries WHERE row_key IN (
      SELECT row_key FROM error_entries WHERE (group_key = ${group} OR former_key = ${group})
      AND row_key < (SELECT (deleted + 1) * ${KEYS_PER_ENVELOPE} FROM group_states WHERE group_key = ${group})
      LIMIT ${DELETED_AT_ONCE})`;
    if (changes === DELETED_AT_ONCE) return true;
    this.#countChange();
    return false;
  }

  /** The deleted groups that still have errors because the server was stopped before it had deleted them all. */
  halfDeleted(): string[] {
    return this.#sql.all`SELECT group_key FROM group_states AS g WHERE deleted > 0 AND EXISTS (
      SELECT 1 FROM error_entries AS e WHERE e.group_key = g.group_key
      AND e.row_key < (g.deleted + 1) * ${KEYS_PER_ENVELOPE})`.map((row) => String(row.group_key));
  }

  /** Whether a group has errors that are not being deleted, or is resolved, muted or regressed: they may be evicted. */
  #exists(group: string, row: GroupStateRow | undefined): boolean {
    const first = rowKeyOf((row?.deleted ?? 0) + 1, 0);
    return (row?.state ?? "open") !== "open" ||
      this.#sql.get`SELECT 1 FROM error_entries WHERE group_key = ${group} AND row_key >= ${first}
        UNION ALL SELECT 1 FROM feedback_entries WHERE group_key = ${group} LIMIT 1` !== undefined;
  }

  row(group: string): GroupStateRow | undefined {
    return this.#sql.get`SELECT * FROM group_states WHERE group_key = ${group}` as
      | GroupStateRow
      | undefined;
  }

  #countChange(): void {
    this.#sql.run`UPDATE totals SET group_changes = group_changes + 1`;
  }
}
