import type { ReceivedEnvelope } from "../protocol/admitted_envelope.ts";
import { ScriptMap } from "../models/error/script_map.ts";
import { readDebugIds } from "../models/error/stack.ts";
import { type EnvelopeIndex, indexBody } from "../models/index/index_entries.ts";
import { parseBody } from "../models/parse_body.ts";
import type { ParsedEnvelope } from "../models/parsed_envelope.ts";
import { recordedRange } from "../models/recording/recording.ts";
import { decodeBody, parseContentEncoding } from "../protocol/encoding.ts";
import type { ReadSourceMap, StoredEnvelope } from "./inbox_types.ts";

/** Source maps loaded for one envelope. The page has some forty scripts; a stack trace contains a few. */
const MAX_MAPS = 64;
/** Estimated bytes of the cached maps. Above it the cache is emptied, above twice this no map is loaded. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Memory of a position of the script when its map is parsed. In the JSON it usually takes two bytes or more. */
const POSITION_BYTES = 100;
/** Size counted for an unreadable map, so that ids chosen by a sender cannot grow the cache without limit. */
const UNREADABLE_BYTES = 1_000;

const decoder = new TextDecoder();

/** Reads the index entries of envelopes. Caches source maps, by which errors are grouped: parsing one may take 20 ms. */
export class EnvelopeIndexer {
  /** By debug id; undefined: it cannot be parsed. */
  readonly #maps = new Map<string, ScriptMap | undefined>();
  #mapBytes = 0;

  constructor(readonly readSourceMap: ReadSourceMap, readonly onNotice: (notice: string) => void) {}

  async read(envelope: ReceivedEnvelope | StoredEnvelope): Promise<EnvelopeIndex> {
    const { bytes, contentEncoding, receivedAt, isOwn, dsnKey, format = "envelope" } = envelope;
    let decoded: Uint8Array | undefined;
    let { parsed = [] } = envelope;
    try {
      // No limit: the server that accepted it checked its size, perhaps with another limit than this one's.
      const encoding = parseContentEncoding(contentEncoding);
      if (!envelope.parsed) {
        decoded = await decodeBody(bytes, encoding, Number.MAX_SAFE_INTEGER);
        parsed = parseBody(decoded, format);
      }
    } catch {
      // Memory is the cause, because it was decompressed before. It appears only in the list of envelopes.
    }
    const items = parsed.flatMap(({ items }) => items);
    await this.#loadMaps(items);
    const mapWith = (debugId: string) => this.#maps.get(debugId);
    const hasSegment = items.some(({ type }) => type === "replay_recording");
    const recorded = decoded && hasSegment ? await recordedRange(decoded) : undefined;
    return indexBody(parsed, receivedAt, { mapWith, isOwn, dsnKey, recorded });
  }

  /** Loads the maps of the envelope's errors and profiles. Never throws: an error is grouped without a map, too. */
  async #loadMaps(items: ParsedEnvelope["items"]): Promise<void> {
    const wanted = new Set(
      items.filter(({ type }) => /^(event|profile)/.test(type))
        .flatMap(({ json }) => [...readDebugIds(json).values()]),
    );
    if (this.#mapBytes > MAX_BYTES) this.forgetMaps();
    for (const id of [...wanted].slice(0, MAX_MAPS)) {
      if (this.#maps.has(id)) continue;
      if (this.#mapBytes > 2 * MAX_BYTES) break;
      let [map, bytes]: [ScriptMap | undefined, number] = [undefined, UNREADABLE_BYTES];
      try {
        const json = await this.readSourceMap(id);
        if (json === undefined) continue;
        bytes = memoryOf(json);
        map = new ScriptMap(decoder.decode(json), { keepsTexts: false });
      } catch (error) {
        this.onNotice(`Cannot read the source map ${id}: ${error}`);
      }
      this.#maps.set(id, map);
      this.#mapBytes += bytes;
    }
  }

  /** Empties the cache, also because maps were replaced or deleted. */
  forgetMaps(): void {
    this.#maps.clear();
    this.#mapBytes = 0;
  }
}

/** An upper bound: positions end with a comma or semicolon, as other parts of the JSON do. */
function memoryOf(json: Uint8Array): number {
  let positions = 0;
  for (const byte of json) if (byte === 0x2c || byte === 0x3b) positions++;
  return json.byteLength + POSITION_BYTES * positions;
}
