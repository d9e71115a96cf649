import { indexEnvelope } from "../models/index/index_entries.ts";
import { EMPTY_ENVELOPE, parseEnvelope, parseItems } from "../models/parsed_envelope.ts";
import { recordedRange } from "../models/recording/recording.ts";
import { decodeBody, parseContentEncoding } from "../protocol/encoding.ts";
import type { EnvelopeIndex } from "./change.ts";
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
    let decoded: Uint8Array | undefined;
    try {
      decoded = await envelope.decoded();
    } catch {
      // The relay could decompress it, so memory or a limit is the cause. Stores it without index entries.
    }
    return await this.#index(decoded, envelope, parseItems(envelope.header, envelope.items));
  }

  /** {@linkcode read} for an envelope that is stored elsewhere. */
  async readStored(envelope: StoredEnvelope): Promise<EnvelopeIndex> {
    // As large as the server allowed that has stored it.
    return await this.#index(await decodeStored(envelope, Number.MAX_SAFE_INTEGER), envelope);
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
        const decoded = await decodeStored(envelope, MAX_DECODED_BYTES);
        const { entries } = await this.#index(decoded, envelope);
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

  /** @param otherwise used if it could not be decompressed */
  async #index(
    decoded: Uint8Array | undefined,
    { receivedAt, isOwn, dsnKey }: Pick<StoredEnvelope, "receivedAt" | "isOwn" | "dsnKey">,
    otherwise = EMPTY_ENVELOPE,
  ): Promise<EnvelopeIndex> {
    const parsed = decoded === undefined ? otherwise : parseEnvelope(decoded);
    await this.maps.load(parsed);
    const hasSegment = parsed.items.some(({ type }) => type === "replay_recording");
    const recorded = decoded && hasSegment ? await recordedRange(decoded) : undefined;
    const mapWith = this.maps.get;
    return indexEnvelope(parsed, receivedAt, { mapWith, isOwn, dsnKey, recorded });
  }
}

/** Undefined: too large or corrupt. It is listed among the envelopes only. */
async function decodeStored(
  { bytes, contentEncoding }: StoredEnvelope,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  try {
    return await decodeBody(bytes, parseContentEncoding(contentEncoding), maxBytes);
  } catch {
    return undefined;
  }
}
