import type { DatabaseSync } from "node:sqlite";
import { type SpanEntry, spanOfRow } from "../models/trace/span_entry.ts";
import { rootOf } from "../models/trace/trace_entry.ts";
import { ROOT_RANK, type RootCandidate, rootOrder } from "../models/trace/trace_root.ts";
import { NO_NAME } from "../models/trace/trace_span.ts";
import { SENT_BY } from "./query_sql.ts";
import { SPAN_COLUMNS } from "./trace_reader.ts";

/** The orders of traces that are named for a span with children, or for any span: from the first to before the second. */
const FIRST_ORDER = rootOrder({ rank: ROOT_RANK.parent, started_at: 0 });
const END_ORDER = rootOrder({ rank: ROOT_RANK.error, started_at: 0 });

/**
 * Returns a function that names traces again that are named for a span with children: these arrive in any order, in
 * different bodies. Call it after the entries of a resource were written, in the same transaction.
 */
export function traceNamer(db: DatabaseSync) {
  const sql = db.createTagStore();
  const findParent = db.prepare(
    `SELECT ${SPAN_COLUMNS}, ${SENT_BY} AS resource FROM spans AS e` +
      " WHERE trace_id = ? AND span_id = ? AND row_key < ? ORDER BY row_key LIMIT 1",
  );
  /** @param rowKey of the resource */
  return (rowKey: number, receivedAt: number, spans: readonly SpanEntry[]): void => {
    const byTrace = Map.groupBy(spans.entries(), ([, { trace_id }]) => trace_id);
    for (const [traceId, own] of byTrace) {
      const isNamedForSpan = sql.get`SELECT 1 FROM trace_entries WHERE trace_id = ${traceId}
        AND root_order >= ${FIRST_ORDER} AND root_order < ${END_ORDER} LIMIT 1`;
      if (isNamedForSpan === undefined) continue;
      const best = new Map<number, RootCandidate & { readonly order: number }>();
      const consider = (resource: number, span: Omit<SpanEntry, "trace_id">) => {
        const root = rootOf(span, receivedAt);
        if (root.rank !== ROOT_RANK.span || span.name === NO_NAME) return;
        const order = rootOrder({ ...root, rank: ROOT_RANK.parent });
        if (order < (best.get(resource)?.order ?? Infinity)) best.set(resource, { ...root, order });
      };
      for (const [, span] of own) {
        // Of earlier bodies and resources.
        const child = sql.get`SELECT 1 FROM spans WHERE trace_id = ${traceId}
          AND parent_id = ${span.span_id} AND row_key < ${rowKey} LIMIT 1`;
        if (child) consider(rowKey, span);
      }
      for (const id of new Set(own.map(([, span]) => span.parent_span_id))) {
        const parent = findParent.get(traceId, id, rowKey);
        if (parent) consider(parent.resource as number, spanOfRow(parent as never));
      }
      for (const [resource, { order, name, op, started_at, ended_at, http_status }] of best) {
        // `+`: among the traces of the resource, not among all entries of the trace.
        sql.run`UPDATE trace_entries SET root_order = ${order}, name = ${name}, op = ${op},
          started_at = ${started_at}, ended_at = ${ended_at}, at = coalesce(${started_at}, seen_at),
          http_status = ${http_status}, preflight = 0 WHERE +trace_id = ${traceId}
          AND root_order > ${order} AND row_key >= ${resource} AND row_key < ${resource} +
            (SELECT keys FROM envelope_entries AS e WHERE e.row_key = ${resource})`;
      }
    }
  };
}
