import { readDebugIds } from "../models/error/debug_ids.ts";
import { ScriptMap } from "../models/error/script_map.ts";
import type { ParsedEnvelope } from "../models/parsed_envelope.ts";

/** Gives the source map (JSON) of the script that has a debug id; undefined: no script of this build has it. */
export type ReadSourceMap = (debugId: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;

/** Debug ids that one envelope may ask for. A page of this project has some forty scripts; a stack goes through a few. */
const MAX_ASKED = 64;

const decoder = new TextDecoder();

/**
 * The build's source maps, by debug id. Each is read when the first error needs it, and kept: this build's 39 are 18 MB
 * in memory, and the largest holds the server up for 20 ms, once. Ids of other builds are not kept, so there are never
 * more than the build has.
 */
export class ScriptMaps {
  readonly #read: ReadSourceMap;
  readonly #onNotice: (notice: string) => void;
  /** Undefined: it could not be read, and is not tried again. */
  readonly #maps = new Map<string, ScriptMap | undefined>();

  constructor(read: ReadSourceMap, onNotice: (notice: string) => void) {
    this.#read = read;
    this.#onNotice = onNotice;
  }

  /** The map that has a debug id, if {@linkcode load} has brought it. */
  readonly get = (debugId: string): ScriptMap | undefined => this.#maps.get(debugId);

  /** Brings the maps that the envelope's errors name. Never throws: an error without a map is grouped all the same. */
  async load({ items }: ParsedEnvelope): Promise<void> {
    const wanted = new Set(
      items.flatMap(({ type, json }) => type === "event" ? [...readDebugIds(json).values()] : []),
    );
    for (const id of [...wanted].slice(0, MAX_ASKED)) {
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
