import type { LogAttributes, LogLevel } from "../protocol/log_levels.ts";

export interface LogRow {
  readonly envelope: number;
  /** Index among the logs of its envelope. */
  readonly index: number;
  readonly at: number;
  readonly level: LogLevel;
  /** The message with its parameters filled in, without escape sequences of terminals. */
  readonly body: string;
  /** Values of other types are converted to JSON. */
  readonly attributes: LogAttributes;
  /** What OpenTelemetry sent once for it and others. */
  readonly resource?: LogAttributes;
  readonly trace_id: string | null;
  readonly span_id: string | null;
  /** Of the recording that ran, if segments of it have arrived. */
  readonly replay_id: string | null;
  /** Key of the application. */
  readonly application: string;
}
