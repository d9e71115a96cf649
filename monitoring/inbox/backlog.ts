import { decodeBody, parseContentEncoding } from "../protocol/encoding.ts";
import type { UnindexedEnvelope } from "./envelope_table.ts";
import type { NewEntries } from "./inbox_file.ts";
import type { IndexEntries } from "../models/index/index_entries.ts";
import { EMPTY_ENVELOPE, type ParsedEnvelope, parseEnvelope } from "../models/parsed_envelope.ts";

/** Reads envelopes without index entries and writes their entries. */
export interface BacklogFile {
  /** The newest ones, a few at a time; empty: none left. */
  unindexed(): readonly UnindexedEnvelope[];
  /** Writes entries in one transaction. None: the backlog has ended. */
  index(entries: readonly NewEntries[]): void;
}

/** Requests have priority: the first step is after the start, and there is a pause between steps. */
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MS = 10;
/** Decompressed bytes of one envelope, in memory at once. Larger ones, which the relay accepts, are not indexed. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024;

/**
 * Indexes envelopes in the background that were stored by an older version, newest first. Each step is
 * one transaction: after a restart it continues where it was.
 *
 * @param entriesOf returns the index entries of an envelope
 * @returns stops it
 */
export function indexBacklog(
  file: BacklogFile,
  entriesOf: (parsed: ParsedEnvelope, receivedAt: number) => Promise<IndexEntries>,
): () => void {
  const step = async () => {
    const entries: NewEntries[] = [];
    for (const envelope of file.unindexed()) {
      const parsed = await parse(envelope);
      entries.push({ id: envelope.id, entries: await entriesOf(parsed, envelope.receivedAt) });
      if (stopped) return;
    }
    file.index(entries);
    if (entries.length === 0) return;
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

async function parse({ bytes, contentEncoding }: UnindexedEnvelope): Promise<ParsedEnvelope> {
  try {
    const encoding = parseContentEncoding(contentEncoding);
    return parseEnvelope(await decodeBody(bytes, encoding, MAX_DECODED_BYTES));
  } catch {
    // Too large or corrupt: listed among the envelopes only.
    return EMPTY_ENVELOPE;
  }
}
