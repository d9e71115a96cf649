/** An inbox of 50,000 envelopes: the time of each list and search, and the cost of indexing while storing. */
import { join } from "node:path";
import { admitted } from "../monitoring/inbox/testdata/envelopes.ts";
import { InboxFile } from "../monitoring/inbox/inbox_file.ts";
import { indexEnvelope } from "../monitoring/models/index/index_entries.ts";
import { placeOf, writeCursor } from "../monitoring/models/index/list_cursor.ts";
import { parseEnvelope } from "../monitoring/models/parsed_envelope.ts";
import type { ListQuery, Lists } from "../monitoring/models/rows.ts";
import { INBOX_SCHEMA } from "../monitoring/inbox/schema.ts";
import type { Inbox } from "../monitoring/inbox/inbox.ts";
import { openInbox } from "../monitoring/inbox/sqlite_inbox.ts";
import { openDatabase } from "../monitoring/storage/open_database.ts";
import { INBOX_QUERY_BUDGET } from "./budgets.ts";
import type { Figure } from "./figures.ts";
import { makeEnvelopes } from "./inbox_envelopes.ts";

const MIB = 1024 * 1024;
const COUNT = 50_000;
/** Large enough that nothing is evicted. */
const MAX_BYTES = 2 * 1024 ** 3;
const REPETITIONS = 15;
/** Envelopes of each of the alternating rounds that compare storing with and without an index. */
const ROUND = 500;
const ROUNDS = 6;
const NO_ENTRIES = { traces: [], errors: [], logs: [], omittedLogs: 0 };

/** Runs both parts in a temporary folder. */
export async function benchInbox(): Promise<Figure[]> {
  const folder = Deno.makeTempDirSync({ prefix: "bench-inbox-" });
  try {
    return [...await queries(folder), ...storing(folder)];
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Fills an inbox and runs every kind of query that the console makes. */
async function queries(folder: string): Promise<Figure[]> {
  const path = join(folder, "inbox.sqlite");
  const filling = openInbox({ path, maxBytes: MAX_BYTES });
  let bytes = 0;
  let known = "";
  const begun = performance.now();
  for (const made of makeEnvelopes(COUNT)) {
    bytes += made.bytes.byteLength;
    if (made.number === COUNT / 2) known = made.trace;
    await filling.store(admitted(made.bytes, made.receivedAt));
  }
  const seconds = (performance.now() - begun) / 1_000;
  filling.close();

  const opening = performance.now();
  const inbox = openInbox({ path, maxBytes: MAX_BYTES });
  const opened = performance.now() - opening;
  const figures: Figure[] = [
    { what: `bodies of ${COUNT} envelopes`, value: bytes / MIB, unit: "MiB" },
    { what: "the inbox's file with them", value: Deno.statSync(path).size / MIB, unit: "MiB" },
    { what: "stored, each synced and indexed", value: COUNT / seconds, unit: "envelopes/s" },
    { what: "opened again", value: opened, unit: "ms" },
  ];
  for (const { what, run } of queriesOf(inbox, known)) {
    figures.push({ what, value: slowest(run), unit: "ms", budget: INBOX_QUERY_BUDGET.limit });
  }
  inbox.close();
  return figures;
}

/** A query with its description. */
interface Query {
  readonly what: string;
  run(): unknown;
}

function queriesOf(inbox: Inbox, trace: string): readonly Query[] {
  const group = inbox.page("errors", {}).rows[0]?.group ?? "";
  const kinds: Readonly<Record<string, ListQuery>> = {
    "all": {},
    "an old page": {
      before: writeCursor({ before: placeOf(COUNT / 50, 0), asOf: placeOf(COUNT + 1, 0) }),
    },
    "search, many matches": { q: "checkout" },
    "search, one match": { q: trace.slice(4, 28) },
    "search, no match": { q: "nothing holds this" },
    "search of one letter": { q: "E" },
    "search in another alphabet": { q: "ÄÖ größe" },
    "one trace": { trace },
  };
  const further: readonly [keyof Lists | "envelopes", string, ListQuery][] = [
    ["occurrences", "one group", { group }],
    ["occurrences", "one group, search, no match", { group, q: "nothing holds this" }],
    ["logs", "level fatal", { level: "fatal" }],
    ["logs", "level warn and a search, no match", { level: "warn", q: "nothing holds this" }],
    ["envelopes", "one type", { type: "span" }],
    ["envelopes", "a type without envelopes", { type: "profile" }],
    ["envelopes", "a type and a search, no match", { type: "event", q: "nowhere" }],
  ];
  const lists = ["traces", "errors", "occurrences", "logs", "envelopes"] as const;
  return [
    ...lists.flatMap((list) =>
      Object.entries(kinds).map(([kind, query]) => [list, kind, query] as const)
    ),
    ...further,
  ].map(([list, kind, query]) => ({
    what: `${list}: ${kind}`,
    run: () => list === "envelopes" ? inbox.envelopes(query) : inbox.page(list, query),
  }));
}

/** Milliseconds of the slowest repetition: the budget is for each query. */
function slowest(run: () => unknown): number {
  let most = 0;
  for (let n = 0; n < REPETITIONS; n++) {
    const begun = performance.now();
    run();
    most = Math.max(most, performance.now() - begun);
  }
  return most;
}

/** The cost of indexing while storing. Rounds with and without it alternate, so that both use the disk in the same state. */
function storing(folder: string): Figure[] {
  const files = [true, false].map((isIndexed) => {
    const db = openDatabase({
      store: "inbox",
      path: join(folder, `storing-${isIndexed}.sqlite`),
      schema: INBOX_SCHEMA,
      onNotice: console.warn,
    });
    return { isIndexed, db, file: new InboxFile(db, MAX_BYTES), ms: 0 };
  });
  const envelopes = [...makeEnvelopes(ROUND * ROUNDS)];
  for (let round = 0; round < ROUNDS; round++) {
    for (const one of files) {
      const begun = performance.now();
      for (const { bytes, receivedAt } of envelopes.slice(round * ROUND, (round + 1) * ROUND)) {
        const parsed = parseEnvelope(bytes);
        const { description, entries } = indexEnvelope(parsed, receivedAt);
        one.file.insert({
          description,
          entries: one.isIndexed ? entries : NO_ENTRIES,
          bytes,
          receivedAt,
          contentEncoding: null,
        });
      }
      one.ms += performance.now() - begun;
    }
  }
  for (const { db } of files) db.close();
  const [withIndex = 0, without = 0] = files.map(({ ms }) => envelopes.length / ms * 1_000);
  return [
    { what: "stored by the file alone, indexed", value: withIndex, unit: "envelopes/s" },
    { what: "against the rate without an index", value: withIndex / without, unit: "×" },
  ];
}
