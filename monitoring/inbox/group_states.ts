import type { DatabaseSync } from "node:sqlite";
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

/** Columns of `group_states`. */
interface StateRow {
  readonly state: GroupState | "regressed";
  /** When the state was changed, milliseconds since 1970. */
  readonly changed_at: number;
  readonly resolved_in: string | null;
  readonly regressed_in: string | null;
  readonly deleted: number;
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
    if (row?.state === "resolved" && receivedAt > row.changed_at) {
      this.#sql.regress.run(release, receivedAt, group);
      this.#sql.countChange.run();
      return "regression";
    }
    const isKnown = (row && row.state !== "open") || this.#sql.isKnown.get(group) !== undefined;
    return isKnown ? "known" : "new";
  }

  /**
   * Sets the state of a group.
   *
   * @param now milliseconds since 1970
   * @returns false: there is no such group
   */
  set(group: string, state: GroupState, now: number): boolean {
    if (!this.#exists(group)) return false;
    const { release = null } = (this.#sql.release.get(group) ?? {}) as { release?: string };
    this.#change(group, state, now, release, 0);
    return true;
  }

  /**
   * Deletes the errors of a group from the index, up to the newest envelope. The envelopes stay, and would be
   * indexed again by a later version, so the group remembers up to which one it was deleted.
   *
   * @returns false: there is no such group
   */
  delete(group: string, newestEnvelope: number, now: number): boolean {
    if (!this.#exists(group)) return false;
    this.#sql.deleteEntries.run(group);
    this.#change(group, "open", now, null, newestEnvelope);
    return true;
  }

  /** A group without errors exists while it is resolved, muted or regressed: they may have been evicted. */
  #exists(group: string): boolean {
    return (this.#row(group)?.state ?? "open") !== "open" ||
      this.#sql.hasEntries.get(group) !== undefined;
  }

  #change(
    group: string,
    state: GroupState,
    now: number,
    release: string | null,
    deleted: number,
  ): void {
    this.#sql.set.run(group, state, now, release, deleted);
    this.#sql.forget.run(MAX_STATES);
    this.#sql.countChange.run();
  }

  #row(group: string): StateRow | undefined {
    return this.#sql.row.get(group) as StateRow | undefined;
  }
}

function prepare(db: DatabaseSync) {
  const hasEntries = "SELECT 1 FROM error_entries WHERE group_key = ?";
  return {
    row: db.prepare("SELECT * FROM group_states WHERE group_key = ?"),
    hasEntries: db.prepare(`${hasEntries} LIMIT 1`),
    // Until all envelopes are indexed, any group may have older errors.
    isKnown: db.prepare(`${hasEntries} UNION ALL SELECT 1 FROM totals WHERE backlog > 0 LIMIT 1`),
    release: db.prepare(
      "SELECT (SELECT release FROM releases WHERE id = e.release) AS release FROM error_entries AS e" +
        " WHERE group_key = ? ORDER BY place DESC LIMIT 1",
    ),
    set: db.prepare(
      "INSERT INTO group_states VALUES (?, ?, ?, ?, NULL, ?) ON CONFLICT DO UPDATE SET" +
        " state = excluded.state, changed_at = excluded.changed_at, regressed_in = NULL," +
        " resolved_in = excluded.resolved_in, deleted = max(deleted, excluded.deleted)",
    ),
    regress: db.prepare(
      "UPDATE group_states SET state = 'regressed', regressed_in = ?, changed_at = ?" +
        " WHERE group_key = ?",
    ),
    deleteEntries: db.prepare("DELETE FROM error_entries WHERE group_key = ?"),
    forget: db.prepare(
      "DELETE FROM group_states WHERE group_key IN" +
        " (SELECT group_key FROM group_states ORDER BY changed_at DESC LIMIT -1 OFFSET ?)",
    ),
    countChange: db.prepare("UPDATE totals SET group_changes = group_changes + 1"),
  };
}
