import { readDebugIds } from "../models/error/stack.ts";
import { ScriptMap } from "../models/error/script_map.ts";
import type { ParsedEnvelope } from "../models/parsed_envelope.ts";

/** Returns the source map (JSON) of the script with a debug id; undefined: there is none. */
export type ReadSourceMap = (debugId: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;

/** Source maps loaded for one envelope. The page has some forty scripts; a stack trace contains a few. */
const MAX_MAPS = 64;
/** Estimated memory of the maps that stay loaded. The page's maps have 25 MB. An envelope may load as many again. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Memory of a position of the script when its map is parsed. In the JSON it may have two bytes. */
const POSITION_BYTES = 100;
/** Bytes that a map counts which cannot be read: ids are the sender's. */
const UNREADABLE_BYTES = 1_000;

const decoder = new TextDecoder();

/**
 * Caches source maps, loaded when the first error needs them, to group errors by source position. The page's 39
 * maps take 18 MB of memory, and parsing the largest blocks the server for 20 ms, once.
 */
export class ScriptMaps {
  readonly #read: ReadSourceMap;
  readonly #onNotice: (notice: string) => void;
  /** Least recently loaded first. Without a map: it cannot be parsed. */
  readonly #maps = new Map<string, { readonly map?: ScriptMap; readonly bytes: number }>();
  #bytes = 0;

  constructor(read: ReadSourceMap, onNotice: (notice: string) => void) {
    this.#read = read;
    this.#onNotice = onNotice;
  }

  /** The map with a debug id, if {@linkcode load} has loaded it. */
  readonly get = (debugId: string): ScriptMap | undefined => this.#maps.get(debugId)?.map;

  /** The map with this id was replaced or deleted. */
  forget(debugId: string): void {
    this.#bytes -= this.#maps.get(debugId)?.bytes ?? 0;
    this.#maps.delete(debugId);
  }

  /** All maps were deleted. */
  forgetAll(): void {
    this.#maps.clear();
    this.#bytes = 0;
  }

  /** Loads the maps of the envelope's errors. Never throws: an error is grouped without a map, too. */
  async load({ items }: ParsedEnvelope): Promise<void> {
    const wanted = new Set(
      items.flatMap(({ type, json }) => type === "event" ? [...readDebugIds(json).values()] : []),
    );
    for (const id of this.#maps.keys()) {
      if (this.#bytes <= MAX_BYTES) break;
      if (!wanted.has(id)) this.forget(id);
    }
    for (const id of [...wanted].slice(0, MAX_MAPS)) {
      if (this.#maps.has(id)) continue;
      if (this.#bytes > 2 * MAX_BYTES) break;
      let bytes = UNREADABLE_BYTES;
      let map: ScriptMap | undefined;
      try {
        const json = await this.#read(id);
        if (json === undefined) continue;
        bytes = memoryOf(json);
        map = new ScriptMap(decoder.decode(json), { keepsTexts: false });
      } catch (error) {
        this.#onNotice(`Cannot read the source map ${id}: ${error}`);
      }
      this.forget(id);
      this.#maps.set(id, { map, bytes });
      this.#bytes += bytes;
    }
  }
}

/** An upper bound: positions end with a comma or semicolon, as other parts of the JSON do. */
function memoryOf(json: Uint8Array): number {
  let positions = 0;
  for (const byte of json) if (byte === 0x2c || byte === 0x3b) positions++;
  return json.byteLength + POSITION_BYTES * positions;
}
