import type { RecordingRow } from "../rows.ts";
import type { Moment } from "./timeline.ts";

/** What is stored of one recording besides its picture: the answer of `view=recording`. All texts are untrusted. */
export interface RecordingContent extends RecordingRow {
  /** Keys of the applications that sent the recording, its errors and its logs. */
  readonly applications: readonly string[];
  /** Addresses of its pages, each once. */
  readonly urls: readonly string[];
  /** In order of time, at most 5,000. */
  readonly events: readonly RecordingEvent[];
  /** Segments whose events were left out: too large, or not readable. */
  readonly unreadable: number;
}

/** Something that happened while the page was recorded, and what identifies it in its own view. */
export interface RecordingEvent extends Moment {
  /** Of a trace, span, error or log. */
  readonly trace_id?: string | null;
  readonly span_id?: string;
  /** Of an error: its group and the id of its envelope. */
  readonly group?: string;
  readonly envelope?: number;
}
