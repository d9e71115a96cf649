import type { InboxRow } from "../protocol/inbox_row.ts";
import type { AiRunRow, AiSumRow } from "./ai/ai_row.ts";
import type { ErrorGroupRow, OccurrenceRow } from "./error/error_row.ts";
import type { FeedbackRow } from "./feedback/feedback_row.ts";
import type { LogRow } from "./log_row.ts";
import type { MetricRow } from "./metric/metric_row.ts";
import type { MonitorRow, MonitorRunRow } from "./monitors/monitor_row.ts";
import type { ProfileRow } from "./profile/profile_row.ts";
import type { RecordingRow } from "./recording/recording_row.ts";
import type { EndpointRow, PageRow, QueryRow, TraceRow } from "./trace/trace_row.ts";

/**
 * The rows of the lists: wire types of `GET /monitoring/inbox?view=…`. All texts in rows are
 * untrusted: display them as text, never as markup or links.
 */

/** Rows, newest first. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  /** The `before` of the next page, with older rows; null: this is the last page. */
  readonly next: string | null;
}

/** Rows of one page: a few screens, read and drawn in a few milliseconds. */
export const MAX_LIST_ROWS = 200;

/**
 * The row type of each list, by its `view`. Another list needs:
 *
 * 1. a row type beside its model, named here. The compiler then requires the list in `monitoring/inbox/list_reader.ts`,
 *    `query_parameters.ts` and `list_sql_test.ts` beside it, `islands/data/lists.ts` and `bench/inbox.ts`
 * 2. unless tables have its rows: its entries in `index/index_entries.ts`, and a table in `monitoring/inbox/schema.ts`,
 *    written by `index_writer.ts`: a new version of the schema, which indexes the stored envelopes again
 * 3. a view that shows it: a folder in `islands/`, and its entry in `islands/shell/registry.ts`; its number in
 *    {@linkcode ListCounts}, by the id of the view, if the sidebar counts new rows
 */
export interface Lists {
  readonly traces: TraceRow;
  readonly errors: ErrorGroupRow;
  readonly occurrences: OccurrenceRow;
  readonly logs: LogRow;
  readonly pages: PageRow;
  readonly endpoints: EndpointRow;
  readonly queries: QueryRow;
  readonly recordings: RecordingRow;
  readonly ai_runs: AiRunRow;
  readonly ai_sums: AiSumRow;
  readonly feedback: FeedbackRow;
  readonly profiles: ProfileRow;
  readonly monitors: MonitorRow;
  readonly runs: MonitorRunRow;
  readonly metrics: MetricRow;
  readonly envelopes: InboxRow;
}
