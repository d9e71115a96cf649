import type { TraceParts } from "./trace_span.ts";

/** What is stored of one trace: the answer of `view=trace`. */
export interface TraceContent {
  /** The envelopes that were read, oldest first. The content of an envelope never changes. */
  readonly envelopes: readonly number[];
  /** The key of the application that sent each of them; null: it is not known. */
  readonly applications: readonly (string | null)[];
  /** What each of them has of the trace. */
  readonly parts: readonly TraceParts[];
  /** Of the recording that ran, if segments of it have arrived. */
  readonly replay_id: string | null;
  /** Envelopes that were left out: too large, or corrupt. */
  readonly unreadable: number;
  /** Whether the trace has older envelopes that were not read. */
  readonly truncated: boolean;
}
