import { originalPositionFor, TraceMap, traceSegment } from "@jridgewell/trace-mapping";
import { listOf } from "../json.ts";
import type { Frame } from "./stack.ts";

interface SourcePosition {
  /** Path in the project; for a package, the path from `node_modules/`. */
  readonly file: string;
  /** Line and column count from 1. */
  readonly line: number;
  readonly column: number;
  /** In the project itself, not in a package. */
  readonly own: boolean;
  /** The source file's text, if the map contains it. */
  readonly text: string | null;
}

/** Where a frame is in its built script, as the browser reported it. */
type BuiltPosition = Pick<Frame, "function" | "line" | "column">;

/** Maps positions and function names of a built script to its sources. */
export class ScriptMap {
  readonly #map: TraceMap;
  readonly #sources: readonly unknown[];
  readonly #sourceRoot: unknown;
  readonly #texts: readonly unknown[];
  readonly #script: string;
  readonly #lineStarts: readonly number[];

  /**
   * @param json a source map that contains the script's text as `x_script`
   * @param options.keepsTexts false: drops the sources' texts, to save memory
   * @throws {SyntaxError} not JSON
   * @throws {Error} not a source map
   */
  constructor(json: string, { keepsTexts = true } = {}) {
    const { x_script, sources, sourceRoot, sourcesContent, ...map } = JSON.parse(json);
    this.#sources = listOf(sources);
    this.#sourceRoot = sourceRoot;
    this.#texts = keepsTexts ? listOf(sourcesContent) : [];
    // The library joins the addresses of all sources with `sourceRoot`, which can be gigabytes.
    this.#map = new TraceMap({ ...map, sources: [] });
    this.#script = typeof x_script === "string" ? x_script : "";
    const starts = [0];
    for (let at = -1; (at = this.#script.indexOf("\n", at + 1)) !== -1;) starts.push(at + 1);
    this.#lineStarts = starts;
  }

  /** Undefined: the frame has no position, or the map has none for it. */
  positionOf({ line, column }: BuiltPosition): SourcePosition | undefined {
    if (line === null || column === null) return undefined;
    // Stack traces count lines and columns from 1, source maps from 0.
    const segment = traceSegment(this.#map, line - 1, column - 1);
    if (segment === null || segment.length === 1) return undefined;
    const [, source, sourceLine, sourceColumn] = segment;
    const file = sourcePath(addressOf(this.#sources[source], this.#sourceRoot));
    const text = this.#texts[source];
    return {
      file,
      line: sourceLine + 1,
      column: sourceColumn + 1,
      own: !file.includes("node_modules/"),
      text: typeof text === "string" ? text : null,
    };
  }

  /**
   * The source name of the function that a frame is in; null if it has none. A map has names only where
   * they are declared, so this searches the script for the declaration: a tenth of a millisecond.
   */
  functionOf({ function: name, line, column }: BuiltPosition): string | null {
    if (name === null || name.length > MAX_NAME_LENGTH) return null;
    // V8 writes `new F`, `async F`, `Object.method [as alias]` (https://v8.dev/docs/stack-trace-api).
    const [, owner, bare] = /^(?:async |new )*(.*\.)?(#?[\w$]+)(?: \[as .*\])?$/.exec(name) ?? [];
    if (bare === undefined || line === null || column === null) return null;
    const start = this.#lineStarts[line - 1];
    const end = start === undefined ? 0 : start + column;
    const from = Math.max(start ?? 0, end - MAX_SEARCHED);
    const declaredAt = lastDeclaration(this.#script.slice(from, end), bare);
    if (declaredAt !== undefined) {
      const declaration = { line, column: declaredAt + from - start! };
      return originalPositionFor(this.#map, declaration).name ?? bare;
    }
    // Minifiers keep the names of members, and rename the objects that they belong to.
    return owner === undefined ? null : bare;
  }
}

/** Characters before a position that are searched for the declaration of its function: one millisecond. */
const MAX_SEARCHED = 200_000;
/** Longer than names that minifiers or people write. */
const MAX_NAME_LENGTH = 100;

/** The column of the last declaration of a function with this name, as statement or as variable. */
function lastDeclaration(code: string, name: string): number | undefined {
  const escaped = name.replaceAll("$", "\\$");
  const declarations = new RegExp(
    `(?<=\\b(?:function\\*?|class) )${escaped}(?![\\w$])` +
      `|(?<![\\w$.])${escaped}(?==(?:async\\b|\\(|function\\b|class\\b|[\\w$]+=>))`,
    "g",
  );
  let last: number | undefined;
  for (const { index } of code.matchAll(declarations)) last = index;
  return last;
}

/** Characters of an address. Those of loaders in webpack, which contain their options, have some thousand. */
const MAX_ADDRESS = 10_000;

/** The address of one source, joined with the map's `sourceRoot`. Cut at its start if it is too long. */
function addressOf(source: unknown, sourceRoot: unknown): string {
  const [name, root] = [source, sourceRoot].map((text) => typeof text === "string" ? text : "");
  if (root!.length + name!.length > MAX_ADDRESS) return name!.slice(-MAX_ADDRESS);
  return new TraceMap({ version: 3, sources: [name!], sourceRoot: root, names: [], mappings: "" })
    .resolvedSources[0]!;
}

function sourcePath(source: string): string {
  const inPackages = source.lastIndexOf("node_modules/");
  return inPackages === -1
    ? source.replace(/^(?:webpack:\/\/[^/]*)?(\.{0,2}\/)+/, "")
    : source.slice(inPackages);
}
