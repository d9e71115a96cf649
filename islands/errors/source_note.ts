import type { FoundFrame } from "../../monitoring/models/error/source_finder.ts";

export interface SourceNoteInput {
  /** Of all the error's stacks. */
  readonly frames: readonly FoundFrame[];
  readonly debugIds: ReadonlyMap<string, string>;
  /** Whether there are source maps to look into at all. */
  readonly scope: "inbox" | "visit";
}

/** Why frames stand without their source, in one sentence; empty where each has it, or there are none. */
export function sourceNote({ frames, debugIds, scope }: SourceNoteInput): string {
  const bare = frames.filter(({ source }) => source === null);
  if (bare.length === 0) return "";
  const mapped = bare.filter(({ file }) => file !== null && debugIds.has(file));
  if (mapped.length > 0) {
    return scope === "visit"
      ? "Frames stand as the browser reported them: when relaying, the server gives out no source maps."
      : "Some frames stand as they were reported: no source map of this build has their debug ids, so" +
        " they are of another build.";
  }
  // Found in a map that leaves this source out, or sent without lines and never minified.
  return bare.length === frames.length ? "The event brings no lines of source with it." : "";
}
