import { KEYS_PER_ENVELOPE } from "../models/index/list_cursor.ts";
import type { ListQuery } from "../models/list_query.ts";
import { all, COMMON, entryList, filtersOf, type SqlList, when } from "./list_builder.ts";
import { APPLICATION, asJson, isInState, ranDuring, REPLAY } from "./list_sql.ts";
import { entryMatches } from "./query_sql.ts";

const onFeedback = (query: ListQuery) => [
  // Of what arrived again, the newest.
  "NOT EXISTS (SELECT 1 FROM feedback_entries AS x WHERE x.group_key = e.group_key" +
  " AND x.row_key > e.row_key AND x.row_key < :asOf)",
  ...filtersOf(query, ["trace", "group", "envelope", ...COMMON]),
  ...entryMatches("feedback_entries", query.q),
  ...when(query.replay, ranDuring("e", ":replay")),
  ...when(query.state, isInState("e.group_key")),
];

/** The newest error `x` with a condition, as JSON of a `FeedbackError`. */
const newestError = (by: "event" | "recording", condition: string) =>
  `(SELECT json_object('group', x.group_key, 'envelope', x.row_key / ${KEYS_PER_ENVELOPE}, 'at', x.at,` +
  " 'type', x.entry ->> 'type', 'value', x.entry ->> 'value', 'where', x.entry ->> 'where'," +
  ` 'by', '${by}') FROM error_entries AS x WHERE ${condition} AND x.row_key < :asOf` +
  ` ORDER BY x.at DESC LIMIT 1) AS ${by}_error`;

// `+`: without the type of its column the id is found by the index.
const NAMED = "x.entry ->> 'event_id' = +e.about";
/** Of its application: the clocks of others may differ. */
const IN_RECORDING =
  "e.about IS NULL AND x.replay_id = e.replay_id AND x.application = e.application AND x.at <= e.at";

export function feedbackSql(query: ListQuery): SqlList {
  return entryList(
    "feedback_entries",
    onFeedback(query),
    `e.entry, ${APPLICATION}, ${REPLAY},` +
      " (SELECT release FROM releases WHERE id = e.release) AS release, coalesce(" +
      "(SELECT state FROM group_states AS g WHERE g.group_key = e.group_key), 'open') AS state," +
      ` ${newestError("event", NAMED)}, ${newestError("recording", IN_RECORDING)}`,
    "e.at",
  );
}

export const feedbackOverTimeSql = (query: ListQuery): string =>
  asJson("at, 0, NULL", `feedback_entries AS e WHERE ${all(onFeedback(query))}`);
