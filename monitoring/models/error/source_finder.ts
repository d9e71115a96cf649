import { DEBUG_ID } from "./debug_ids.ts";
import type { ScriptMap } from "./script_map.ts";
import { cutLine, type Frame, type SourceLines } from "./stack.ts";

/** A frame where a person would look for it. */
export interface FoundFrame extends Frame {
  /** Where the browser ran it, as `address:line:column`; null: nothing else is known, the frame is as it was sent. */
  readonly script: string | null;
}

/** Looks up frames of minified scripts in their source maps; what it cannot find stays as it was sent. */
export interface SourceFinder {
  find(
    frames: readonly Frame[],
    debugIds: ReadonlyMap<string, string>,
  ): Promise<readonly FoundFrame[]>;
}

/** A page of this project has some thirty scripts, and a stack goes through a few of them. */
const MAX_MAPS = 40;
/** Lines shown before and after the frame's own. */
const CONTEXT_LINES = 5;

/**
 * Makes a finder, which keeps the maps that it was given.
 *
 * @param sourceMap gives a map as JSON, with the script itself as `x_script`; undefined: there is none
 */
export function createSourceFinder(
  sourceMap: (debugId: string) => Promise<string | undefined>,
): SourceFinder {
  const maps = new Map<string, Promise<ScriptMap | undefined>>();

  const mapOf = (debugId: string): Promise<ScriptMap | undefined> => {
    const known = maps.get(debugId);
    if (known) return known;
    // Ids are whatever was posted: this is a bound on what they make us ask for and keep.
    if (maps.size >= MAX_MAPS) maps.delete(maps.keys().next().value!);
    const asked = load(sourceMap, debugId);
    maps.set(debugId, asked);
    // Without an answer it may be asked for again.
    asked.catch(() => maps.delete(debugId));
    return asked;
  };

  return {
    async find(frames, debugIds) {
      const wanted = new Set(frames.map(({ file }) => debugIds.get(file ?? "")));
      const ids = [...wanted].filter((id) => id !== undefined && DEBUG_ID.test(id)) as string[];
      const loaded = new Map(
        await Promise.all(
          ids.slice(0, MAX_MAPS).map(async (id) => [id, await mapOf(id)] as const),
        ),
      );
      return frames.map((frame) => {
        const map = loaded.get(debugIds.get(frame.file ?? "") ?? "");
        return (map && lookUp(map, frame)) ?? { ...frame, script: null };
      });
    },
  };
}

async function load(
  sourceMap: (debugId: string) => Promise<string | undefined>,
  debugId: string,
): Promise<ScriptMap | undefined> {
  // What reads a map comes by itself: most visits see no error.
  const [text, { ScriptMap }] = await Promise.all([
    sourceMap(debugId),
    import("./script_map.ts"),
  ]);
  return text === undefined ? undefined : new ScriptMap(text);
}

function lookUp(map: ScriptMap, frame: Frame): FoundFrame | undefined {
  const place = map.placeOf(frame);
  if (place === undefined) return undefined;
  const { text, ...where } = place;
  return {
    ...frame,
    ...where,
    function: map.functionOf(frame),
    source: text === null ? null : sourceLines(text, place.line),
    script: `${frame.file}:${frame.line}:${frame.column}`,
  };
}

function sourceLines(text: string, line: number): SourceLines | null {
  const lines = text.split("\n");
  if (line > lines.length) return null;
  const first = Math.max(1, line - CONTEXT_LINES);
  return {
    first,
    lines: lines.slice(first - 1, line + CONTEXT_LINES).map(cutLine),
    marked: line - first,
  };
}
