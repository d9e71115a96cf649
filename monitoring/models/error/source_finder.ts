import type { ScriptMap } from "./script_map.ts";
import { cutLine, type Frame, type SourceLines } from "./stack.ts";

/** A frame, mapped to its source if possible. */
export interface FoundFrame extends Frame {
  /** The position in the built script, as `url:line:column`; null: not mapped, the frame is as it was sent. */
  readonly script: string | null;
  /** Whether its script has a source map, which may lack the position. */
  readonly hasMap: boolean;
}

/** Maps frames of built scripts to their sources. Frames without a source map stay as they were sent. */
interface SourceFinder {
  find(
    frames: readonly Frame[],
    debugIds: ReadonlyMap<string, string>,
  ): Promise<readonly FoundFrame[]>;
}

/** A page has some tens of scripts, and a stack trace contains a few of them. */
const MAX_MAPS = 40;
/** Lines shown before and after the frame's line. */
const CONTEXT_LINES = 5;

/**
 * Creates a finder that caches source maps.
 *
 * @param sourceMap returns the source map of a debug id as JSON, with the script's text as `x_script`;
 * undefined if there is none
 */
export function createSourceFinder(
  sourceMap: (debugId: string) => Promise<string | undefined>,
): SourceFinder {
  const maps = new Map<string, Promise<ScriptMap | undefined>>();

  const mapOf = (debugId: string): Promise<ScriptMap | undefined> => {
    const known = maps.get(debugId);
    if (known) return known;
    // Ids are the sender's: bounds requests and memory.
    if (maps.size >= MAX_MAPS) maps.delete(maps.keys().next().value!);
    const loading = load(sourceMap, debugId);
    maps.set(debugId, loading);
    // A failed request may be repeated, and a missing map may be uploaded.
    const forget = () => void maps.delete(debugId);
    loading.then((map) => map ?? forget(), forget);
    return loading;
  };

  return {
    async find(frames, debugIds) {
      const ids = new Set(frames.map(({ file }) => debugIds.get(file ?? "")));
      ids.delete(undefined);
      const loaded = new Map(
        await Promise.all(
          [...ids as Set<string>].slice(0, MAX_MAPS)
            .map(async (id) => [id, await mapOf(id)] as const),
        ),
      );
      return frames.map((frame) => {
        const map = loaded.get(debugIds.get(frame.file ?? "") ?? "");
        return (map && mapFrame(map, frame)) ??
          { ...frame, script: null, hasMap: map !== undefined };
      });
    },
  };
}

async function load(
  sourceMap: (debugId: string) => Promise<string | undefined>,
  debugId: string,
): Promise<ScriptMap | undefined> {
  // Loaded on demand: most sessions show no error.
  const [text, { ScriptMap }] = await Promise.all([
    sourceMap(debugId),
    import("./script_map.ts"),
  ]);
  return text === undefined ? undefined : new ScriptMap(text);
}

function mapFrame(map: ScriptMap, frame: Frame): FoundFrame | undefined {
  const position = map.positionOf(frame);
  if (position === undefined) return undefined;
  const { text, ...where } = position;
  return {
    ...frame,
    ...where,
    function: map.functionOf(frame),
    source: text === null ? null : linesAround(text, position.line),
    script: `${frame.file}:${frame.line}:${frame.column}`,
    hasMap: true,
  };
}

function linesAround(text: string, line: number): SourceLines | null {
  const lines = text.split("\n");
  if (line > lines.length) return null;
  const first = Math.max(1, line - CONTEXT_LINES);
  return {
    first,
    lines: lines.slice(first - 1, line + CONTEXT_LINES).map(cutLine),
    marked: line - first,
  };
}
