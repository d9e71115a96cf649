/** An inbox of 50,000 envelopes: time of each list and search; cost of writing index entries. */
import { join } from "node:path";
import { admitted } from "../monitoring/inbox/testdata/envelopes.ts";
import { InboxFile } from "../monitoring/inbox/inbox_file.ts";
import { indexEnvelope } from "../monitoring/models/index/index_entries.ts";
import { placeOf, writeCursor } from "../monitoring/models/index/list_cursor.ts";
import { parseEnvelope } from "../monitoring/models/parsed_envelope.ts";
import {
  GROUP_COLUMNS,
  type ListQuery,
  type Lists,
  OWN_SOURCE,
  TRACE_COLUMNS,
  TRACE_STATUSES,
} from "../monitoring/models/rows.ts";
import { INBOX_SCHEMA } from "../monitoring/inbox/schema.ts";
import type { Inbox } from "../monitoring/inbox/inbox.ts";
import { openInbox } from "../monitoring/inbox/sqlite_inbox.ts";
import { openDatabase } from "../monitoring/storage/open_database.ts";
import { INBOX_QUERY_BUDGET } from "./budgets.ts";
import type { Figure } from "./figures.ts";
import { makeEnvelopes } from "./inbox_envelopes.ts";

const MIB = 1024 * 1024;
const COUNT = 50_000;
/** The row where the benchmark of an old page starts: 98 % of the inbox is newer. */
const OLD_ROW = COUNT / 50;
/** Large enough that nothing is evicted. */
const MAX_BYTES = 2 * 1024 ** 3;
const REPETITIONS = 15;
/** Envelopes per round. Rounds with and without index entries alternate. */
const ROUND_SIZE = 500;
const ROUNDS = 6;
const NO_ENTRIES = {
  source: { ...OWN_SOURCE, release: null },
  traces: [],
  errors: [],
  logs: [],
  vitals: [],
  omittedLogs: 0,
  associatedEventId: null,
};
/** A search text that no envelope contains. */
const NO_MATCH = "nothing holds this";

/** Measures queries, then the writing of index entries, in a temporary folder. */
export async function benchInbox(): Promise<Figure[]> {
  const folder = Deno.makeTempDirSync({ prefix: "bench-inbox-" });
  try {
    return [...await measureQueries(folder), ...measureIndexWriting(folder)];
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Fills an inbox and runs every kind of query that the console makes. */
async function measureQueries(folder: string): Promise<Figure[]> {
  const path = join(folder, "inbox.sqlite");
  const filling = openInbox({ path, maxBytes: MAX_BYTES });
  let bytes = 0;
  let knownTraceId = "";
  const storeStart = performance.now();
  for (const made of makeEnvelopes(COUNT)) {
    bytes += made.bytes.byteLength;
    if (made.number === COUNT / 2) knownTraceId = made.trace;
    await filling.store(admitted(made.bytes, made.receivedAt));
  }
  const seconds = (performance.now() - storeStart) / 1_000;
  filling.close();

  const openStart = performance.now();
  const inbox = openInbox({ path, maxBytes: MAX_BYTES });
  const openMs = performance.now() - openStart;
  const figures: Figure[] = [
    { what: `size of ${COUNT} envelopes`, value: bytes / MIB, unit: "MiB" },
    { what: "size of the inbox file", value: Deno.statSync(path).size / MIB, unit: "MiB" },
    { what: "storing, each synced and indexed", value: COUNT / seconds, unit: "envelopes/s" },
    { what: "opening the inbox again", value: openMs, unit: "ms" },
  ];
  const queries = queriesOf(inbox, knownTraceId);
  for (const [list, cases = []] of Object.entries(Object.groupBy(queries, ({ list }) => list))) {
    const rounds: number[] = [];
    for (const { kind, run } of cases) {
      rounds.push(slowestMs(run));
      console.log(`  ${list}: ${kind}: ${rounds.at(-1)!.toFixed(1)} ms`);
    }
    figures.push({
      what: `${list}: the slowest of ${cases.length} lists and searches`,
      value: Math.max(...rounds),
      unit: "ms",
      rounds,
      budget: INBOX_QUERY_BUDGET.limit,
    });
  }
  inbox.close();
  return figures;
}

interface QueryCase {
  readonly list: keyof Lists | "envelopes";
  /** What is asked of the list. */
  readonly kind: string;
  readonly query: ListQuery;
}

interface MeasuredQuery extends QueryCase {
  run(): unknown;
}

function queriesOf(inbox: Inbox, traceId: string): readonly MeasuredQuery[] {
  const group = inbox.page("errors", {}).rows[0]?.group ?? "";
  const ofEveryList: readonly Omit<QueryCase, "list">[] = [
    { kind: "all", query: {} },
    {
      kind: "an old page",
      query: {
        before: writeCursor({ before: placeOf(OLD_ROW, 0), asOf: placeOf(COUNT + 1, 0) }),
      },
    },
    { kind: "search, many matches", query: { q: "checkout" } },
    { kind: "search, one match", query: { q: traceId.slice(4, 28) } },
    { kind: "search, no match", query: { q: NO_MATCH } },
    { kind: "search of one letter", query: { q: "E" } },
    { kind: "search in another alphabet", query: { q: "ÄÖ größe" } },
    { kind: "one trace", query: { trace: traceId } },
    { kind: "an environment", query: { environment: "recording" } },
  ];
  const lists = ["traces", "errors", "occurrences", "logs", "envelopes"] as const;
  const cases: readonly QueryCase[] = [
    ...lists.flatMap((list) => ofEveryList.map((one) => ({ list, ...one }))),
    ...TRACE_COLUMNS.map((sort): QueryCase => ({
      list: "traces",
      kind: `sorted by ${sort}`,
      query: { sort: `-${sort}` },
    })),
    ...GROUP_COLUMNS.map((sort): QueryCase => ({
      list: "errors",
      kind: `sorted by ${sort}`,
      query: { sort: `-${sort}` },
    })),
    ...TRACE_STATUSES.map((status): QueryCase => ({
      list: "traces",
      kind: `status ${status}`,
      query: { status },
    })),
    { list: "traces", kind: "an operation", query: { op: "ui.action" } },
    { list: "traces", kind: "an operation without traces", query: { op: "none" } },
    { list: "pages", kind: "all", query: {} },
    { list: "occurrences", kind: "one group", query: { group } },
    { list: "occurrences", kind: "one group, search, no match", query: { group, q: NO_MATCH } },
    { list: "logs", kind: "level fatal", query: { level: "fatal" } },
    {
      list: "logs",
      kind: "level warn and a search, no match",
      query: { level: "warn", q: NO_MATCH },
    },
    { list: "envelopes", kind: "one type", query: { type: "span" } },
    { list: "envelopes", kind: "a type without envelopes", query: { type: "profile" } },
    {
      list: "envelopes",
      kind: "a type and a search, no match",
      query: { type: "event", q: NO_MATCH },
    },
  ];
  return cases.map((one) => ({
    ...one,
    run: () =>
      one.list === "envelopes" ? inbox.envelopes(one.query) : inbox.page(one.list, one.query),
  }));
}

/** Milliseconds of the slowest of all repetitions, as the budget applies to each run. */
function slowestMs(run: () => unknown): number {
  let slowest = 0;
  for (let n = 0; n < REPETITIONS; n++) {
    const start = performance.now();
    run();
    slowest = Math.max(slowest, performance.now() - start);
  }
  return slowest;
}

/**
 * The cost of writing index entries: both variants parse each envelope and make its entries, one
 * writes them. Rounds alternate, so that both use the disk in the same state.
 */
function measureIndexWriting(folder: string): Figure[] {
  const targets = [true, false].map((writesEntries) => {
    const db = openDatabase({
      store: "inbox",
      path: join(folder, `entries-${writesEntries}.sqlite`),
      schema: INBOX_SCHEMA,
      onNotice: console.warn,
    });
    return { writesEntries, db, file: new InboxFile(db, MAX_BYTES, () => -Infinity), ms: 0 };
  });
  const envelopes = [...makeEnvelopes(ROUND_SIZE * ROUNDS)];
  for (let round = 0; round < ROUNDS; round++) {
    const batch = envelopes.slice(round * ROUND_SIZE, (round + 1) * ROUND_SIZE);
    for (const target of targets) {
      const start = performance.now();
      for (const { bytes, receivedAt } of batch) {
        const { description, entries } = indexEnvelope(parseEnvelope(bytes), receivedAt);
        target.file.insert({
          description,
          entries: target.writesEntries ? entries : NO_ENTRIES,
          bytes,
          receivedAt,
          contentEncoding: null,
        });
      }
      target.ms += performance.now() - start;
    }
  }
  for (const { db } of targets) db.close();
  const [withEntries = 0, without = 0] = targets.map(({ ms }) => envelopes.length / ms * 1_000);
  return [
    {
      what: "storing by InboxFile alone, with index entries",
      value: withEntries,
      unit: "envelopes/s",
    },
    { what: "its rate against storing without entries", value: withEntries / without, unit: "×" },
  ];
}
