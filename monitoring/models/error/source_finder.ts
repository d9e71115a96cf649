import { ScriptMap } from "./script_map.ts";
import { cutLine, type Frame, type SourceLines } from "./stack.ts";

/** A frame, mapped to its source if possible. */
export interface FoundFrame extends Frame {
  /** The position in the built script, as `url:line:column`; null: not mapped, the frame is as it was sent. */
  readonly script: string | null;
  /** Whether its script has a source map, which may lack the position. */
  readonly hasMap: boolean;
}

/** Scripts of an error that are mapped. A page has some tens, and a stack trace contains a few of them. */
const MAX_MAPS = 40;
/** Lines shown before and after the frame's line. */
const CONTEXT_LINES = 5;

/**
 * Maps frames of built scripts to their sources. Frames without a source map stay as they were sent.
 *
 * @param keys of the source maps, by the file of a frame
 * @param readMap returns a source map as JSON, with the script's text as `x_script`; undefined if there is none
 */
export async function findSources(
  stacks: readonly (readonly Frame[])[],
  keys: ReadonlyMap<string, string>,
  readMap: (key: string) => Promise<string | undefined>,
): Promise<readonly (readonly FoundFrame[])[]> {
  const found: FoundFrame[][] = stacks.map((frames) =>
    frames.map((frame) => ({ ...frame, script: null, hasMap: false }))
  );
  const keyOf = ({ file }: Frame) => keys.get(file ?? "");
  const wanted = new Set(stacks.flat().flatMap((frame) => keyOf(frame) ?? []));
  // One after the other: a hostile map can take 200 MB when it is parsed.
  for (const key of [...wanted].slice(0, MAX_MAPS)) {
    const json = await readMap(key);
    if (json === undefined) continue;
    const map = new ScriptMap(json);
    const linesOf = createLineReader();
    for (const [stack, frames] of stacks.entries()) {
      for (const [index, frame] of frames.entries()) {
        if (keyOf(frame) !== key) continue;
        found[stack]![index] = mapFrame(map, frame, linesOf) ??
          { ...frame, script: null, hasMap: true };
      }
    }
  }
  return found;
}

type LineReader = (text: string) => readonly string[];

/** Splits each text once, for all frames in it: a hostile source has millions of lines. */
function createLineReader(): LineReader {
  const known = new Map<string, readonly string[]>();
  return (text) => known.getOrInsertComputed(text, () => text.split("\n"));
}

function mapFrame(map: ScriptMap, frame: Frame, linesOf: LineReader): FoundFrame | undefined {
  const position = map.positionOf(frame);
  if (position === undefined) return undefined;
  const { text, ...where } = position;
  return {
    ...frame,
    ...where,
    function: map.functionOf(frame),
    source: text === null ? null : linesAround(linesOf(text), position.line),
    script: `${frame.file}:${frame.line}:${frame.column}`,
    hasMap: true,
  };
}

function linesAround(lines: readonly string[], line: number): SourceLines | null {
  if (line > lines.length) return null;
  const first = Math.max(1, line - CONTEXT_LINES);
  return {
    first,
    lines: lines.slice(first - 1, line + CONTEXT_LINES).map(cutLine),
    marked: line - first,
  };
}
