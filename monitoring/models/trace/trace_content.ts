import type { TraceRow } from "../rows.ts";
import type { TraceParts } from "./trace_span.ts";

/** Maximum number of envelopes that are read for a trace. A tab that is open for hours sends a few hundred. */
export const MAX_TRACE_ENVELOPES = 1_000;
/** Their decompressed bytes: 1 MiB holds about 5,000 spans. */
export const MAX_TRACE_BYTES = 16 * 1024 * 1024;

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
  /** Whether some of the trace was not read: it is too large. */
  readonly truncated: boolean;
  /** What the list of traces counts and was not read. */
  readonly omitted: Readonly<Record<"spans" | "errors" | "logs", number>>;
  /** The trace's row in the list, if some of it was not read: it has name and duration of the whole trace. */
  readonly whole: TraceRow | null;
}

/** States what of a trace is not shown; empty: nothing. */
export function omittedText({ omitted, whole }: Pick<TraceContent, "omitted" | "whole">): string {
  if (whole === null) return "";
  const counts = (["spans", "errors", "logs"] as const).filter((name) => omitted[name] > 0)
    .map((name) => {
      const noun = whole[name] === 1 ? name.slice(0, -1) : name;
      return `${format(omitted[name])} of ${format(whole[name])} ${noun}`;
    });
  return `Not shown: ${counts.join(", ")}. Only the newest ${MAX_TRACE_BYTES / 1024 ** 2} MiB and` +
    ` ${
      format(MAX_TRACE_ENVELOPES)
    } envelopes of a trace are read; name and duration are those of` +
    ` the whole trace${omitted.spans > 0 ? ", self times include spans that are not shown" : ""}.`;
}

const format = (n: number) => n.toLocaleString("en");
