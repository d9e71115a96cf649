import type { TraceMap } from "@jridgewell/trace-mapping";
import { DEBUG_ID } from "./debug_ids.ts";
import { functionName } from "./function_name.ts";
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

type Tracing = typeof import("@jridgewell/trace-mapping");

interface LoadedMap {
  readonly tracing: Tracing;
  readonly map: TraceMap;
  readonly script: string;
}

/**
 * Makes a finder, which keeps the maps that it was given.
 *
 * @param sourceMap gives a map as JSON, with the script itself as `x_script`; undefined: there is none
 */
export function createSourceFinder(
  sourceMap: (debugId: string) => Promise<string | undefined>,
): SourceFinder {
  const maps = new Map<string, Promise<LoadedMap | undefined>>();

  const mapOf = (debugId: string): Promise<LoadedMap | undefined> => {
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
): Promise<LoadedMap | undefined> {
  const [text, tracing] = await Promise.all([
    sourceMap(debugId),
    import("@jridgewell/trace-mapping"),
  ]);
  if (text === undefined) return undefined;
  const { x_script = "", ...map } = JSON.parse(text);
  return { tracing, map: new tracing.TraceMap(map), script: x_script };
}

function lookUp({ tracing, map, script }: LoadedMap, frame: Frame): FoundFrame | undefined {
  const { file, line, column } = frame;
  if (line === null || column === null) return undefined;
  // A stack counts columns from 1, a map from 0.
  const place = tracing.originalPositionFor(map, { line, column: column - 1 });
  if (place.source === null) return undefined;
  const path = sourcePath(place.source);
  return {
    ...frame,
    function: functionName(frame, script, (line, column) => {
      const declared = tracing.originalPositionFor(map, { line, column });
      return declared.source === null ? null : declared;
    }),
    file: path,
    line: place.line,
    column: place.column + 1,
    own: !path.includes("node_modules/"),
    source: sourceLines(
      map.sourcesContent?.[map.resolvedSources.indexOf(place.source)],
      place.line,
    ),
    script: `${file}:${line}:${column}`,
  };
}

/** Of the project's own sources the path within the project, of a package's the path within it. */
function sourcePath(source: string): string {
  const inPackages = source.lastIndexOf("node_modules/");
  return inPackages === -1 ? source.replace(/^(\.{0,2}\/)+/, "") : source.slice(inPackages);
}

function sourceLines(text: string | null | undefined, line: number): SourceLines | null {
  if (typeof text !== "string") return null;
  const lines = text.split("\n");
  if (line > lines.length) return null;
  const first = Math.max(1, line - CONTEXT_LINES);
  return {
    first,
    lines: lines.slice(first - 1, line + CONTEXT_LINES).map(cutLine),
    marked: line - first,
  };
}
