import { join } from "node:path";
import { InboxFile } from "../../monitoring/inbox/inbox_file.ts";
import { INBOX_SCHEMA } from "../../monitoring/inbox/schema.ts";
import { indexEnvelope } from "../../monitoring/models/index/index_entries.ts";
import { parseEnvelope } from "../../monitoring/models/parsed_envelope.ts";
import { OWN_SOURCE } from "../../monitoring/models/rows.ts";
import { openDatabase } from "../../monitoring/storage/open_database.ts";
import { type Figure, figure } from "../figures.ts";
import { makeEnvelopes } from "./envelopes.ts";

/** Large enough that nothing is evicted. */
const MAX_BYTES = 1024 ** 3;
/** The age is limited as in a server, but nothing is older. */
const OLDEST_TIME = 0;
const ROUND_ENVELOPES = 500;
const ROUNDS = 6;
const NO_ENTRIES = {
  source: { ...OWN_SOURCE, release: null, sdk: null, dsnKey: null, namedBy: "service" as const },
  traces: [],
  errors: [],
  logs: [],
  vitals: [],
  recordings: [],
  omittedLogs: 0,
  associatedEventId: null,
};

/**
 * The cost of writing index entries: both variants parse each envelope and make its entries, one
 * writes them. Rounds alternate, so that both use the disk in the same state.
 *
 * @param folder of the database files
 */
export function measureIndexWriting(folder: string): Figure[] {
  const variants = [true, false].map((writesEntries) => {
    const db = openDatabase({
      store: "inbox",
      path: join(folder, `entries-${writesEntries}.sqlite`),
      schema: INBOX_SCHEMA,
      onNotice: console.warn,
    });
    return { writesEntries, db, file: new InboxFile(db, MAX_BYTES, () => OLDEST_TIME), ms: 0 };
  });
  const envelopes = [...makeEnvelopes(ROUND_ENVELOPES * ROUNDS)];
  for (let round = 0; round < ROUNDS; round++) {
    const batch = envelopes.slice(round * ROUND_ENVELOPES, (round + 1) * ROUND_ENVELOPES);
    for (const variant of variants) {
      const start = performance.now();
      for (const { bytes, receivedAt } of batch) {
        const { description, entries } = indexEnvelope(parseEnvelope(bytes), receivedAt);
        variant.file.apply({
          kind: "envelope",
          writer: "",
          description,
          entries: variant.writesEntries ? entries : NO_ENTRIES,
          bytes,
          receivedAt,
          isOwn: false,
          contentEncoding: null,
        });
      }
      variant.ms += performance.now() - start;
    }
  }
  for (const { db } of variants) db.close();
  const [withEntries = 0, without = 0] = variants.map(({ ms }) => envelopes.length / ms * 1_000);
  return [
    figure("storing by InboxFile alone, with index entries", [withEntries], "envelopes/s"),
    figure("its rate against storing without entries", [withEntries / without], "×"),
  ];
}
