import { MINUTE_MS } from "../time_units.ts";

/** Sentry's. https://docs.sentry.io/product/monitors-and-alerts/monitors/crons/ */
export const DEFAULTS = { margin_ms: MINUTE_MS, max_runtime_ms: 30 * MINUTE_MS };

/** Runs and missed times of a row. */
export const MAX_ROW_RUNS = 50;

/**
 * `over_time`: longer than its monitor allows, and without an end. `unfinished`: without an end, and the job or a process of
 * its application has started since.
 */
export type RunState = "ok" | "failed" | "running" | "over_time" | "unfinished";

/** `missed`: the last expected run did not come. */
export type MonitorState = RunState | "missed";

/** A run of a job that is monitored, from its check-ins. */
export interface MonitorRunRow {
  /** Of the first check-in that arrived. */
  readonly envelope: number;
  /** Index among the check-ins of its envelope. */
  readonly index: number;
  /** Key of the monitor: key of the application, environment and slug. */
  readonly monitor: string;
  readonly slug: string;
  /** Key of the application; null: not known. */
  readonly application: string | null;
  readonly environment: string | null;
  readonly check_in_id: string | null;
  readonly started_at: number;
  readonly state: RunState;
  /** Milliseconds; without an end, those until now, `unfinished` until the job or a process started. Null: not sent. */
  readonly duration: number | null;
  readonly release: string | null;
  readonly trace_id: string | null;
}

/** A job that is monitored. Its state is that at the time of the query. */
export interface MonitorRow
  extends Pick<MonitorRunRow, "monitor" | "slug" | "application" | "environment"> {
  readonly state: MonitorState;
  /** Start of the first of the newest runs that all have this state, `over_time` its end; of missed ones the first's time. */
  readonly since: number;
  /** It may have had this state before: earlier runs were not read. */
  readonly since_earlier: boolean;
  /** In words; null: none was sent, or one that has no meaning. */
  readonly schedule: string | null;
  /** Of its crontab; null: it has none. */
  readonly timezone: string | null;
  /** How late a run may start, milliseconds. */
  readonly margin: number;
  readonly max_runtime: number;
  /** When the next run is expected; null: not known. */
  readonly next_at: number | null;
  /** The newest ones that match the query, newest first. */
  readonly runs: readonly Pick<
    MonitorRunRow,
    "envelope" | "index" | "started_at" | "state" | "duration"
  >[];
  /** When runs were expected that did not come, in the time of the query, newest first. */
  readonly missed: readonly number[];
  /** From when on `missed` has all; null: in the whole time. */
  readonly missed_from: number | null;
  readonly has_more: boolean;
}
