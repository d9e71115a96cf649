import type { ProfileRow } from "./profile_row.ts";
import type { Extent } from "../trace/span_times.ts";
import type { ProfileFrame } from "./sent_profile.ts";

/** A span that a profile covers, as it is drawn above the frames. */
export interface ProfiledSpan extends Extent {
  readonly trace_id: string;
  readonly span_id: string | null;
  readonly name: string;
  readonly op: string | null;
  /** Null: it names none. */
  readonly thread: string | null;
}

/** A call in the tree of calls: its function (index in `frames`), and who called it (index in `calls`; -1: none did). */
export type Call = readonly [caller: number, frame: number];

/** When a sample was taken, in milliseconds after `start_ms`, and its innermost call; -1: nothing ran. Hidden: one below that. */
export type Sample = readonly [offset_ms: number, call: number, isHidden?: boolean];

/** Samples of one thread, in the order of time. */
export interface CallTree {
  /** When the first sample was taken, milliseconds since 1970. */
  readonly start_ms: number;
  /** The median distance of two samples: what each of them counts for. */
  readonly interval_ms: number;
  readonly frames: readonly ProfileFrame[];
  /** Callers come before what they call. */
  readonly calls: readonly Call[];
  readonly samples: readonly Sample[];
}

export interface ProfileThread {
  readonly id: string;
  readonly name: string | null;
  readonly samples: number;
}

/** What is shown of one profile: the answer of `view=profile`. All texts are untrusted. */
export interface ProfileContent extends CallTree {
  readonly row: ProfileRow;
  /** The span that it is limited to; of a transaction its own. Null: not known. */
  readonly span: ProfiledSpan | null;
  readonly thread: string;
  /** Most samples first. */
  readonly threads: readonly ProfileThread[];
  /** Those of its trace and application in its time, longest first; of a whole session, the spans that name it. */
  readonly spans: readonly ProfiledSpan[];
  /** What was not read: envelopes over the limit of bytes, and samples that cannot be read or are over a limit. */
  readonly omitted: Readonly<Record<"envelopes" | "samples", number>>;
}

/** Where a function is: its file and line. */
export const placeOf = ({ file, line }: ProfileFrame) =>
  file === null ? "native" : line === null ? file : `${file}:${line}`;

/** States what is not shown; empty: nothing. */
export function omittedText({ omitted: { envelopes, samples } }: Pick<ProfileContent, "omitted">) {
  const parts = [
    ...envelopes > 0 ? [`${envelopes.toLocaleString("en")} of its older envelopes`] : [],
    ...samples > 0 ? [`${samples.toLocaleString("en")} samples`] : [],
  ];
  return parts.length === 0
    ? ""
    : `Not shown: ${parts.join(", ")}. They are over the limits, or cannot be read.`;
}
