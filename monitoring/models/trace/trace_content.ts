import type { TraceRow } from "./trace_row.ts";
import type { TraceParts } from "./trace_span.ts";

/** Maximum number of spans, of errors and of logs that are read of a trace. */
export const MAX_TRACE_ROWS = 20_000;
/** Maximum number of characters of each of them. */
export const MAX_TRACE_CHARACTERS = 16 * 1024 * 1024;

/** What is stored of one trace, in order of arrival: the answer of `view=trace`. */
export interface TraceContent extends TraceParts {
  /** The envelopes that it is from, oldest first. The content of an envelope never changes. */
  readonly envelopes: readonly number[];
  /** Of the recording that ran, if segments of it have arrived. */
  readonly replay_id: string | null;
  /** What is stored and was not read: the trace is too large. */
  readonly omitted: Readonly<Record<"spans" | "errors" | "logs", number>>;
  /** The trace's row in the list, if some of it was not read: it has name and duration of the whole trace. */
  readonly whole: TraceRow | null;
}

/** Of a trace that is not read yet. */
export const NO_CONTENT: TraceContent = {
  envelopes: [],
  spans: [],
  marks: [],
  replay_id: null,
  omitted: { spans: 0, errors: 0, logs: 0 },
  whole: null,
};

/** States what of a trace is not shown; empty: nothing. */
export function omittedText({ omitted, whole }: Pick<TraceContent, "omitted" | "whole">): string {
  if (whole === null) return "";
  const counts = (["spans", "errors", "logs"] as const).filter((name) => omitted[name] > 0)
    .map((name) => {
      const noun = whole[name] === 1 ? name.slice(0, -1) : name;
      return `${format(omitted[name])} of ${format(whole[name])} ${noun}`;
    });
  return `Not shown: ${counts.join(", ")}. Only the newest ${format(MAX_TRACE_ROWS)} of each, and` +
    ` ${
      MAX_TRACE_CHARACTERS / 1024 ** 2
    } MiB, of a trace are read; name and duration are those of` +
    ` the whole trace${omitted.spans > 0 ? ", self times include spans that are not shown" : ""}.`;
}

const format = (n: number) => n.toLocaleString("en");
