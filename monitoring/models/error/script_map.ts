import { originalPositionFor, type SourceMapInput, TraceMap } from "@jridgewell/trace-mapping";
import { functionName } from "./function_name.ts";
import type { Frame } from "./stack.ts";

/** Where something of a built script stands in the sources. */
export interface SourcePlace {
  /** Of the project's own sources the path within the project, of a package's the path within it. */
  readonly file: string;
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  /** Of the project itself, not of a package. */
  readonly own: boolean;
  /** The text of that source, where the map carries it. */
  readonly text: string | null;
}

/** A frame's place in its script, as the browser told it. */
type BuiltPlace = Pick<Frame, "function" | "line" | "column">;

/** The source map of one script. */
export class ScriptMap {
  readonly #map: TraceMap;
  readonly #script: string;

  /**
   * @param json a map, with the script itself as `x_script`: a map names a function only where it is declared
   * @throws {SyntaxError} it is no JSON
   * @throws {Error} it is no map
   */
  constructor(json: string, { keepsTexts = true } = {}) {
    const { x_script, ...map } = JSON.parse(json);
    if (!keepsTexts) delete map.sourcesContent;
    this.#map = new TraceMap(map as SourceMapInput);
    this.#script = typeof x_script === "string" ? x_script : "";
  }

  /** Undefined: the frame told no place, or the map has none for it. */
  placeOf({ line, column }: BuiltPlace): SourcePlace | undefined {
    if (line === null || column === null) return undefined;
    // A stack counts columns from 1, a map from 0.
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

  /** What the sources call the frame's function; null: it has no name there. Looks through the script: a tenth of a ms. */
  functionOf(frame: BuiltPlace): string | null {
    return functionName(frame, this.#script, (line, column) => {
      const declared = originalPositionFor(this.#map, { line, column });
      return declared.source === null ? null : declared;
    });
  }
}

function sourcePath(source: string): string {
  const inPackages = source.lastIndexOf("node_modules/");
  return inPackages === -1 ? source.replace(/^(\.{0,2}\/)+/, "") : source.slice(inPackages);
}
