import type { DatabaseSync } from "node:sqlite";
import { envelopeAt } from "../models/index/list_cursor.ts";
import type { ListQuery } from "../models/list_query.ts";
import type { ProfiledSpan } from "../models/profile/profile_content.ts";
import { COMMON, filtersOf, groupedList, type Ranks, type SqlList, when } from "./list_builder.ts";
import { namesReplay } from "./list_sql.ts";
import { durationMatches, entryMatches } from "./query_sql.ts";

/** The newest chunks in which the function with most samples is looked for: read in some 0.5 ms for each session. */
const MAX_CHUNKS = 20;

/** The chunks of the profile `page`, those that arrived again once. */
const CHUNKS =
  "(SELECT samples, busy, functions, max(row_key) AS newest FROM profile_entries AS c" +
  " WHERE c.profile_id = page.id AND c.kind <> 'span' AND c.row_key < :asOf GROUP BY chunk_id)";
const NEWEST_CHUNKS = `(SELECT * FROM ${CHUNKS} ORDER BY newest DESC LIMIT ${MAX_CHUNKS})`;

const spansOf = (value: string) =>
  `(SELECT ${value} FROM profile_entries AS s WHERE s.profile_id = page.id AND s.kind = 'span'` +
  " AND s.row_key < :asOf";

/** Profiles and sessions of profilers; `top`: JSON of a function, its file and its part of the busy samples. */
export function profilesSql(query: ListQuery): SqlList {
  const named = (condition: string) =>
    `e.profile_id IN (SELECT profile_id FROM profile_entries WHERE ${condition})`;
  const sampled = "e.kind <> 'span'";
  const started = `min(e.at) FILTER (WHERE ${sampled})`;
  return groupedList(query, {
    table: "profile_entries",
    by: "profile_id",
    where: [
      ...when(query.profile, "e.profile_id = :profile"),
      ...when(query.trace, named("trace_id = :trace")),
      ...when(query.replay, named(`trace_id ${namesReplay(":replay")}`)),
    ],
    filters: [
      sampled,
      ...filtersOf(query, ["envelope", ...COMMON]),
      ...entryMatches("profile_entries", query.q),
    ],
    sums: `${started} AS started_at, max(e.ended_at) FILTER (WHERE ${sampled}) AS ended_at,` +
      ` max(e.ended_at) FILTER (WHERE ${sampled}) - ${started} AS duration,` +
      " sum(e.samples) AS samples",
    having: durationMatches("duration", query.q),
    ranks: {
      started_at: "started_at",
      duration: "duration",
      samples: "samples",
    } satisfies Ranks<"profiles">,
    columns: "page.id AS profile_id, e.kind, e.trace_id, page.started_at, page.ended_at," +
      " (SELECT key FROM applications WHERE id = e.application) AS application," +
      " (SELECT release FROM releases WHERE id = e.release) AS release," +
      ` coalesce(e.name, ${
        spansOf("name")
      } AND coalesce(s.thread, e.thread) = e.thread ORDER BY ended_at - at DESC LIMIT 1)) AS name,` +
      ` iif(e.kind = 'profile', NULL, ${spansOf("count(*)")})) AS spans,` +
      ` (SELECT sum(samples) FROM ${CHUNKS}) AS samples,` +
      " (SELECT json_object('function', f.value ->> 0, 'file', f.value ->> 1, 'share'," +
      ` 1.0 * sum(f.value ->> 2) / n, 'of', n) FROM (SELECT sum(busy) AS n FROM ${NEWEST_CHUNKS}),` +
      ` ${NEWEST_CHUNKS} AS c, json_each(c.functions) AS f` +
      " GROUP BY f.value ->> 0, f.value ->> 1 ORDER BY sum(f.value ->> 2) DESC LIMIT 1) AS top",
  });
}

/** Spans of a session that are offered. */
const MAX_SPANS = 100;

/** Finds the envelopes of a profile with samples between two times, newest first, and its spans, longest first. */
export function profileReader(db: DatabaseSync) {
  const chunks = db.prepare(
    "SELECT row_key FROM profile_entries WHERE profile_id = ? AND kind <> 'span'" +
      " AND ended_at >= ? AND at <= ? ORDER BY row_key DESC",
  );
  const spans = db.prepare(
    "SELECT name, NULL AS op, trace_id, span_id, thread, at AS start_ms, ended_at AS end_ms FROM profile_entries" +
      ` WHERE profile_id = ? AND kind = 'span' ORDER BY ended_at - at DESC LIMIT ${MAX_SPANS}`,
  );
  return (id: string, from: number, to: number) => ({
    envelopes: [
      ...new Set(chunks.all(id, from, to).map(({ row_key }) => envelopeAt(Number(row_key)))),
    ],
    spans: spans.all(id) as unknown as ProfiledSpan[],
  });
}
