import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { originalPositionFor, TraceMap, traceSegment } from "@jridgewell/trace-mapping";

/** One frame of a stack as an event carries it: of the script that the browser ran. */
export interface Frame {
  readonly filename?: string;
  /** Minified; `?` if it has none. */
  readonly function?: string;
  /** Both from 1. */
  readonly lineno?: number;
  readonly colno?: number;
}

/** The part of an event that says which script has which debug id. */
export interface DebugMeta {
  readonly images?: readonly {
    readonly type: string;
    readonly code_file: string;
    readonly debug_id: string;
  }[];
}

/** Where a frame is in the sources. */
export interface SourcePlace {
  /** Relative to the project, or within `node_modules/`. */
  readonly source: string;
  /** From 1. */
  readonly line: number;
  /** The text of that line from the place on; of the project's own sources as their files have it. */
  readonly text: string;
  /** Whether the map has just this position, not only one before it. */
  readonly isExact: boolean;
  /** The name of the function that the frame is in, if it has one. */
  readonly name: string | undefined;
}

const ROOT = new URL("../../", import.meta.url);
const MAPS = new URL(".build/maps/", ROOT);
const ASSETS = new URL(".build/assets/", ROOT);
/** What the addresses of sources in a map are relative to. */
const BUILT_AT = ".build/assets";

/**
 * What Sentry does with a minified frame: finds the map by the script's debug id alone (its name
 * and address play no part), and asks it.
 *
 * @throws if the event has no debug id for the frame's script, no map has it, or the map has no such
 * place
 */
export function resolveFrame(meta: DebugMeta | undefined, frame: Frame): SourcePlace {
  const image = meta?.images?.find(({ code_file }) => code_file === frame.filename);
  if (image?.type !== "sourcemap") throw new Error(`No debug id for ${frame.filename}.`);
  const script = scriptWithId(image.debug_id);
  const map = new TraceMap(readFileSync(new URL(`${script}.map`, MAPS), "utf8"));
  const { lineno = 0, colno = 0, function: minified = "?" } = frame;
  // A stack counts columns from 1, a map from 0.
  const at = originalPositionFor(map, { line: lineno, column: colno - 1 });
  if (at.source === null) throw new Error(`The map of ${script} has no ${lineno}:${colno}.`);
  const source = posix.join(BUILT_AT, at.source);
  const lines = readSource(map, at.source, source).split("\n");
  return {
    source,
    line: at.line,
    text: lines[at.line - 1]?.slice(at.column) ?? "",
    isExact: traceSegment(map, lineno - 1, colno - 1)?.[0] === colno - 1,
    name: nameOf(map, script, minified, lineno, colno),
  };
}

/** Packages may have been made of sources that they come without: those stand in the map alone. */
function readSource(map: TraceMap, name: string, path: string): string {
  const inMap = map.sourcesContent?.[map.sources.indexOf(name)];
  const text = path.includes("node_modules/") ? inMap : readFileSync(new URL(path, ROOT), "utf8");
  if (typeof text !== "string" || text !== inMap) throw new Error(`The map has another ${path}.`);
  return text;
}

/**
 * The file name of the script whose source map has this debug id.
 *
 * @throws if there is none
 */
export function scriptWithId(debugId: string): string {
  for (const file of readdirSync(MAPS)) {
    const { debugId: own } = JSON.parse(readFileSync(new URL(file, MAPS), "utf8"));
    if (own === debugId) return file.replace(/\.map$/, "");
  }
  throw new Error(`No source map has the debug id ${debugId}.`);
}

/** The source's name for a function: what the map says of the place where it is declared. */
function nameOf(
  map: TraceMap,
  script: string,
  minified: string,
  lineno: number,
  colno: number,
): string | undefined {
  // V8 names a method by its object too, and an awaited function as such.
  const name = minified.replace(/^async /, "").replace(/^.*\./, "");
  if (!/^[\w$]+$/.test(name)) return undefined;
  const lines = readFileSync(new URL(script, ASSETS), "utf8").split("\n");
  const before = lines[lineno - 1]?.slice(0, colno) ?? "";
  const escaped = name.replaceAll("$", "\\$");
  const declared = [
    ...before.matchAll(
      new RegExp(
        `(?<=function\\*? )${escaped}(?=\\()|(?<![\\w$.])${escaped}(?==(?:async|\\(|function|[\\w$]+=>))`,
        "g",
      ),
    ),
  ].at(-1);
  if (declared === undefined) return undefined;
  return originalPositionFor(map, { line: lineno, column: declared.index }).name ?? undefined;
}
