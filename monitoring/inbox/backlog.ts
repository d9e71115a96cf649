import { decodeBody, parseContentEncoding } from "../protocol/encoding.ts";
import type { UnindexedEnvelope } from "./inbox_file.ts";
import type { Entries } from "../models/entries/entries.ts";
import { EMPTY_ENVELOPE, type ParsedEnvelope, parseEnvelope } from "../models/parsed_envelope.ts";

/** Where the backlog is read from and worked off. */
export interface BacklogFile {
  /** The newest envelopes that came before there was an index, a few at a time; empty: none is left. */
  unindexed(): readonly UnindexedEnvelope[];
  /** Takes in what was read from them, in one transaction. */
  index(read: readonly IndexedEnvelope[]): void;
}

export interface IndexedEnvelope {
  readonly id: number;
  readonly entries: Entries;
}

/** The server answers first of all: nothing is read before it is up, and requests come in between. */
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MS = 10;
/** What comes out of one envelope; the relay takes ten times as much, which would take this server's memory at once. */
const MAX_DECODED_BYTES = 64 * 1024 * 1024;

/**
 * Indexes in the background what an older version has stored, from the newest envelope to the oldest. Each step is one
 * transaction, so that it goes on where it was when the process ends in between.
 *
 * @param entriesOf reads an envelope's entries
 * @returns ends it; a step that has begun finds that out by itself
 */
export function workOffBacklog(
  file: BacklogFile,
  entriesOf: (parsed: ParsedEnvelope, receivedAt: number) => Promise<Entries>,
): () => void {
  const step = async () => {
    const read: IndexedEnvelope[] = [];
    for (const envelope of file.unindexed()) {
      const entries = await entriesOf(await parsed(envelope), envelope.receivedAt);
      read.push({ id: envelope.id, entries });
      if (stopped) return;
    }
    if (read.length === 0) return;
    file.index(read);
    timer = setTimeout(run, PAUSE_MS);
  };
  const run = () => {
    step().catch((error) => {
      // A full disk, or one that fails: the lists lack what is older, and the next start tries again.
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

async function parsed({ bytes, contentEncoding }: UnindexedEnvelope): Promise<ParsedEnvelope> {
  try {
    const encoding = parseContentEncoding(contentEncoding);
    return parseEnvelope(await decodeBody(bytes, encoding, MAX_DECODED_BYTES));
  } catch {
    // Too large, or damaged: it stays in the list of envelopes, found by the ids that its row has.
    return EMPTY_ENVELOPE;
  }
}
