import { readDebugIds } from "../models/error/stack.ts";
import { ScriptMap } from "../models/error/script_map.ts";
import type { ParsedEnvelope } from "../models/parsed_envelope.ts";

/** Returns the source map (JSON) of the script with a debug id; undefined: not a script of this build. */
export type ReadSourceMap = (debugId: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;

/** Source maps loaded for one envelope. The page has some forty scripts; a stack trace contains a few. */
const MAX_MAPS = 64;

const decoder = new TextDecoder();

/**
 * Caches the build's source maps, loaded when the first error needs them. Bounded by the build: its 39
 * maps take 18 MB of memory, and parsing the largest blocks the server for 20 ms, once.
 */
export class ScriptMaps {
  readonly #read: ReadSourceMap;
  readonly #onNotice: (notice: string) => void;
  /** Undefined: cannot be parsed; not tried again. */
  readonly #maps = new Map<string, ScriptMap | undefined>();

  constructor(read: ReadSourceMap, onNotice: (notice: string) => void) {
    this.#read = read;
    this.#onNotice = onNotice;
  }

  /** The map with a debug id, if {@linkcode load} has loaded it. */
  readonly get = (debugId: string): ScriptMap | undefined => this.#maps.get(debugId);

  /** Loads the maps of the envelope's errors. Never throws: an error is grouped without a map, too. */
  async load({ items }: ParsedEnvelope): Promise<void> {
    const wanted = new Set(
      items.flatMap(({ type, json }) => type === "event" ? [...readDebugIds(json).values()] : []),
    );
    for (const id of [...wanted].slice(0, MAX_MAPS)) {
      if (this.#maps.has(id)) continue;
      try {
        const json = await this.#read(id);
        if (json === undefined) continue;
        this.#maps.set(id, new ScriptMap(decoder.decode(json), { keepsTexts: false }));
      } catch (error) {
        this.#maps.set(id, undefined);
        this.#onNotice(`Cannot read the source map ${id}: ${error}`);
      }
    }
  }
}
