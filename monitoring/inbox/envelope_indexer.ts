import {
  type EnvelopeDescription,
  type IndexEntries,
  indexEnvelope,
} from "../models/index/index_entries.ts";
import {
  EMPTY_ENVELOPE,
  type ParsedEnvelope,
  parseEnvelope,
  parseItems,
} from "../models/parsed_envelope.ts";
import { decodeBody, parseContentEncoding } from "../protocol/encoding.ts";
import type { UnindexedEnvelope } from "./envelope_table.ts";
import type { AdmittedEnvelope } from "./inbox.ts";
import type { NewEntries } from "./inbox_file.ts";
import { type ReadSourceMap, ScriptMaps } from "./script_maps.ts";

/** Reads envelopes without index entries and writes their entries. */
interface BacklogFile {
  /** The newest ones, a few at a time; empty: none left. */
  unindexed(): readonly UnindexedEnvelope[];
  /** Writes entries in one transaction. None: the backlog has ended. */
  index(entries: readonly NewEntries[]): void;
}

type StoredEnvelope = Omit<UnindexedEnvelope, "id" | "bytes"> & { readonly bytes: Uint8Array };

interface EnvelopeIndex {
  readonly description: EnvelopeDescription;
  readonly entries: IndexEntries;
}

/** Requests have priority: the first step is after the start, and there is a pause between steps. */
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MS = 10;
/** Decompressed bytes of one envelope, in memory at once. Larger ones, which the relay accepts, are not indexed. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024;

/** Reads the index entries of envelopes: of new ones, and in the background of those that have none. */
export class EnvelopeIndexer {
  readonly maps: ScriptMaps;

  /** @param onNotice receives messages for the operator */
  constructor(readSourceMap: ReadSourceMap, onNotice: (notice: string) => void) {
    this.maps = new ScriptMaps(readSourceMap, onNotice);
  }

  /** Reads the description and index entries of an envelope. */
  async read(envelope: AdmittedEnvelope): Promise<EnvelopeIndex> {
    let parsed: ParsedEnvelope;
    try {
      parsed = parseEnvelope(await envelope.decoded());
    } catch {
      // The relay could decompress it, so memory or a limit is the cause. Stores it without index entries.
      parsed = parseItems(envelope.header, envelope.items);
    }
    return await this.#index(parsed, envelope);
  }

  /** {@linkcode read} for an envelope that is stored elsewhere. */
  async readStored(envelope: StoredEnvelope): Promise<EnvelopeIndex> {
    // As large as the server allowed that has stored it.
    return await this.#index(await parseStored(envelope, Number.MAX_SAFE_INTEGER), envelope);
  }

  /**
   * Indexes envelopes in the background that were stored by an older version, newest first. Each step is
   * one transaction: after a restart it continues where it was.
   *
   * @returns stops it
   */
  startBacklog(file: BacklogFile): () => void {
    const step = async () => {
      const backlog: NewEntries[] = [];
      for (const envelope of file.unindexed()) {
        const parsed = await parseStored(envelope, MAX_DECODED_BYTES);
        const { entries } = await this.#index(parsed, envelope);
        backlog.push({ id: envelope.id, entries });
        if (stopped) return;
      }
      file.index(backlog);
      if (backlog.length === 0) return;
      timer = setTimeout(run, PAUSE_MS);
    };
    const run = () => {
      step().catch((error) => {
        // For example a full disk. Older envelopes are missing in lists until the next start.
        console.error("Cannot index the inbox's older envelopes:", error);
      });
    };
    let stopped = false;
    let timer = setTimeout(run, FIRST_PAUSE_MS);
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }

  async #index(
    parsed: ParsedEnvelope,
    { receivedAt, isOwn }: Pick<StoredEnvelope, "receivedAt" | "isOwn">,
  ): Promise<EnvelopeIndex> {
    await this.maps.load(parsed);
    return indexEnvelope(parsed, receivedAt, { mapWith: this.maps.get, isOwn });
  }
}

async function parseStored(
  { bytes, contentEncoding }: StoredEnvelope,
  maxBytes: number,
): Promise<ParsedEnvelope> {
  try {
    const encoding = parseContentEncoding(contentEncoding);
    return parseEnvelope(await decodeBody(bytes, encoding, maxBytes));
  } catch {
    // Too large or corrupt: listed among the envelopes only.
    return EMPTY_ENVELOPE;
  }
}
