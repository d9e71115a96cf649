import type { DatabaseSync } from "node:sqlite";
import { type SpanEntry, spanOfRow } from "../models/trace/span_entry.ts";
import { rootOf } from "../models/trace/trace_entry.ts";
import { ROOT_RANK, type RootCandidate, rootOrder } from "../models/trace/trace_root.ts";
import { NO_NAME } from "../models/trace/trace_span.ts";
import { SPAN_COLUMNS } from "./trace_reader.ts";

/** The orders of traces that are named for a span with children, or for any span: from the first to before the second. */
const NAMED_FOR_SPAN = [ROOT_RANK.parent, ROOT_RANK.error].map((rank) =>
  rootOrder({ rank, started_at: 0 })
);

/**
 * Names traces again that are named for a span because it has children: spans and their children arrive in any order, and
 * in different bodies.
 */
export class TraceNames {
  readonly #sql: ReturnType<typeof prepare>;

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db);
  }

  /**
   * Must be called after the entries of a resource were written, in the same transaction.
   *
   * @param rowKey of the resource
   */
  update(rowKey: number, receivedAt: number, spans: readonly SpanEntry[]): void {
    const byTrace = Map.groupBy(spans.entries(), ([, { trace_id }]) => trace_id);
    for (const [traceId, own] of byTrace) {
      if (this.#sql.isNamedForSpan.get(traceId, ...NAMED_FOR_SPAN) === undefined) continue;
      /** By the row key of their resource. */
      const best = new Map<number, RootCandidate & { readonly order: number }>();
      const consider = (resource: number, span: Omit<SpanEntry, "trace_id">) => {
        const root = rootOf(span, receivedAt);
        if (root.rank !== ROOT_RANK.span || span.name === NO_NAME) return;
        const order = rootOrder({ ...root, rank: ROOT_RANK.parent });
        if (order < (best.get(resource)?.order ?? Infinity)) best.set(resource, { ...root, order });
      };
      for (const [, span] of own) {
        if (this.#sql.hasChild.get(traceId, span.span_id, rowKey)) consider(rowKey, span);
      }
      for (const id of new Set(own.map(([, span]) => span.parent_span_id))) {
        const parent = this.#sql.parent.get(traceId, id, rowKey);
        if (parent) consider(parent.resource as number, spanOfRow(parent as never));
      }
      for (const [resource, { order, name, op, started_at, ended_at }] of best) {
        this.#sql.name.run(order, name, op, started_at, ended_at, traceId, resource);
      }
    }
  }
}

function prepare(db: DatabaseSync) {
  return {
    isNamedForSpan: db.prepare(
      "SELECT 1 FROM trace_entries WHERE trace_id = ? AND root_order >= ? AND root_order < ? LIMIT 1",
    ),
    // Of earlier bodies and resources.
    hasChild: db.prepare(
      "SELECT 1 FROM spans WHERE trace_id = ? AND parent_id = ? AND row_key < ? LIMIT 1",
    ),
    parent: db.prepare(
      `SELECT ${SPAN_COLUMNS}, (SELECT max(row_key) FROM envelope_entries AS e` +
        " WHERE e.row_key <= spans.row_key) AS resource FROM spans" +
        " WHERE trace_id = ? AND span_id = ? AND row_key < ? ORDER BY row_key LIMIT 1",
    ),
    // `+`: among the traces of the resource, not among all entries of the trace.
    name: db.prepare(
      "UPDATE trace_entries SET root_order = ?1, name = ?2, op = ?3, started_at = ?4, ended_at = ?5," +
        " at = coalesce(?4, seen_at), preflight = 0 WHERE +trace_id = ?6 AND root_order > ?1" +
        " AND row_key >= ?7 AND row_key < ?7 +" +
        " (SELECT keys FROM envelope_entries AS e WHERE e.row_key = ?7)",
    ),
  };
}
