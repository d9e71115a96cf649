import { originalPositionFor, type SourceMapInput, TraceMap } from "@jridgewell/trace-mapping";
import type { Frame } from "./stack.ts";

/** The source position of a position in a built script. */
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
  readonly #script: string;
  /** Where each line of the script starts. */
  readonly #lineStarts: readonly number[];

  /**
   * @param json a source map that contains the script's text as `x_script`
   * @param options.keepsTexts false: drops the sources' texts, to save memory
   * @throws {SyntaxError} not JSON
   * @throws {Error} not a source map
   */
  constructor(json: string, { keepsTexts = true } = {}) {
    const { x_script, ...map } = JSON.parse(json);
    if (!keepsTexts) delete map.sourcesContent;
    this.#map = new TraceMap(map as SourceMapInput);
    this.#script = typeof x_script === "string" ? x_script : "";
    const starts = [0];
    for (let at = -1; (at = this.#script.indexOf("\n", at + 1)) !== -1;) starts.push(at + 1);
    this.#lineStarts = starts;
  }

  /** Undefined: the frame has no position, or the map has none for it. */
  positionOf({ line, column }: BuiltPosition): SourcePosition | undefined {
    if (line === null || column === null) return undefined;
    // Stack traces count columns from 1, source maps from 0.
    const found = originalPositionFor(this.#map, { line, column: column - 1 });
    if (found.source === null) return undefined;
    const file = sourcePath(found.source);
    return {
      file,
      line: found.line,
      column: found.column + 1,
      own: !file.includes("node_modules/"),
      text: this.#map.sourcesContent?.[this.#map.resolvedSources.indexOf(found.source)] ?? null,
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

function sourcePath(source: string): string {
  const inPackages = source.lastIndexOf("node_modules/");
  return inPackages === -1
    ? source.replace(/^(?:webpack:\/\/[^/]*)?(\.{0,2}\/)+/, "")
    : source.slice(inPackages);
}
