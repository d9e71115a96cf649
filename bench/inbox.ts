/** An inbox of 200,000 envelopes of 25 sources: time of each list and search; cost of writing index entries. */
import { join } from "node:path";
import { admitted } from "../monitoring/inbox/testdata/envelopes.ts";
import { InboxFile } from "../monitoring/inbox/inbox_file.ts";
import { indexEnvelope } from "../monitoring/models/index/index_entries.ts";
import { placeOf, writeCursor } from "../monitoring/models/index/list_cursor.ts";
import { parseEnvelope } from "../monitoring/models/parsed_envelope.ts";
import { LOG_LEVELS } from "../monitoring/protocol/log_levels.ts";
import {
  APPLICATIONS,
  GROUP_COLUMNS,
  GROUP_STATES,
  type ListQuery,
  type Lists,
  OWN_SOURCE,
  PAGE_COLUMNS,
  RECORDING_COLUMNS,
  type SortColumn,
  TRACE_COLUMNS,
  TRACE_STATUSES,
} from "../monitoring/models/rows.ts";
import { INBOX_SCHEMA } from "../monitoring/inbox/schema.ts";
import type { Inbox } from "../monitoring/inbox/inbox.ts";
import { openInbox } from "../monitoring/inbox/sqlite_inbox.ts";
import { openDatabase } from "../monitoring/storage/open_database.ts";
import { INBOX_QUERY_BUDGET } from "./budgets.ts";
import { type Figure, median } from "./figures.ts";
import { makeEnvelopes, timeOf } from "./inbox_envelopes.ts";

const MIB = 1024 * 1024;
const COUNT = 200_000;
/** The row where the benchmark of an old page starts: 98 % of the inbox is newer. */
const OLD_ROW = COUNT / 50;
/** Large enough that nothing is evicted. */
const MAX_BYTES = 4 * 1024 ** 3;
/** Of each query. Their median is compared with the budget. */
const REPETITIONS = 5;
const MINUTE_MS = 60_000;
/** Envelopes per round. Rounds with and without index entries alternate. */
const ROUND_SIZE = 500;
const ROUNDS = 6;
const NO_ENTRIES = {
  source: { ...OWN_SOURCE, release: null },
  traces: [],
  errors: [],
  logs: [],
  vitals: [],
  recordings: [],
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
  const { rows } = inbox.page("errors", { limit: 40 });
  for (const [n, { group }] of rows.entries()) {
    inbox.setGroupState(group, n % 2 === 0 ? "resolved" : "muted");
  }
  const queries = queriesOf(inbox, knownTraceId, timeOf(COUNT));
  for (const [list, cases = []] of Object.entries(Object.groupBy(queries, ({ list }) => list))) {
    const rounds: number[] = [];
    for (const { query, run } of cases) {
      const times = timesOf(run);
      rounds.push(median(times));
      console.log(
        `  ${list} ${kindOf(query)}: ${times[0]!.toFixed(1)}, ${rounds.at(-1)!.toFixed(1)}`,
      );
    }
    figures.push({
      what: `${list}: the slowest of ${cases.length} filters and sorts, median`,
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
  readonly list: keyof Lists | "envelopes" | "sources";
  readonly query: ListQuery;
}

interface MeasuredQuery extends QueryCase {
  run(): unknown;
}

/** Every filter and sort of each list, and what the console combines. */
function queriesOf(inbox: Inbox, traceId: string, now: number): readonly MeasuredQuery[] {
  const group = inbox.page("errors", { sort: "-count" }).rows[0]?.group;
  const source = inbox.sources({}).rows.find(({ key }) => key !== OWN_SOURCE.key);
  const [release] = source?.releases ?? [];
  if (group === undefined || source === undefined || release === undefined) {
    throw new Error("Cannot measure: the generated envelopes have no group, source or release.");
  }
  const ofSender: readonly ListQuery[] = [
    { source: APPLICATIONS },
    { source: source.key },
    { source: OWN_SOURCE.key },
    { release },
    { release: "none" },
    { environment: "staging" },
    { environment: "none" },
    { since: now - 10 * MINUTE_MS },
    { since: now - 60 * MINUTE_MS },
    { until: now - 60 * MINUTE_MS },
    { since: now - 120 * MINUTE_MS, until: now - 60 * MINUTE_MS },
    { source: APPLICATIONS, since: now - 60 * MINUTE_MS },
    { source: source.key, release, environment: source.environment ?? undefined },
  ];
  const ofEveryList: readonly ListQuery[] = [
    {},
    { before: writeCursor({ before: placeOf(OLD_ROW, 0), asOf: placeOf(COUNT + 1, 0) }) },
    { q: "checkout" },
    { q: traceId.slice(4, 28) },
    { q: NO_MATCH },
    { q: "E" },
    { q: "ÄÖ größe" },
    { q: NO_MATCH, source: APPLICATIONS },
    { trace: traceId },
    ...ofSender,
  ];
  const sorted = (columns: readonly SortColumn[], filters: readonly ListQuery[]): ListQuery[] =>
    columns.flatMap((column) => [
      { sort: column },
      ...[{}, ...ofSender, ...filters].map((filter): ListQuery => ({
        ...filter,
        sort: `-${column}`,
      })),
    ]);
  const ofTraces: readonly ListQuery[] = [
    ...TRACE_STATUSES.map((status): ListQuery => ({ status })),
    { op: "ui.action" },
    { op: "none" },
    { page: "checkout" },
    { page: "none" },
    { source: APPLICATIONS, status: "error" },
  ];
  const ofErrors: readonly ListQuery[] = [
    ...LOG_LEVELS.map((level): ListQuery => ({ level })),
    { handled: true },
    { handled: false },
    { handled: false, level: "fatal", source: APPLICATIONS },
  ];
  const ofGroups: readonly ListQuery[] = [
    ...ofErrors,
    ...GROUP_STATES.map((state): ListQuery => ({ state })),
    { state: "open", source: APPLICATIONS },
  ];
  const queries: Readonly<Record<QueryCase["list"], readonly ListQuery[]>> = {
    traces: [...ofEveryList, ...ofTraces, ...sorted(TRACE_COLUMNS, ofTraces)],
    errors: [...ofEveryList, ...ofGroups, ...sorted(GROUP_COLUMNS, ofGroups)],
    occurrences: [
      ...ofEveryList,
      ...ofErrors,
      ...[{}, { q: NO_MATCH }, ...ofSender].map((filter) => ({ ...filter, group })),
    ],
    logs: [
      ...ofEveryList,
      ...LOG_LEVELS.map((level): ListQuery => ({ level })),
      { level: "fatal", q: NO_MATCH },
    ],
    pages: [...ofEveryList, ...sorted(PAGE_COLUMNS, [])],
    recordings: [...ofEveryList, ...sorted(RECORDING_COLUMNS, [])],
    envelopes: [
      ...ofEveryList,
      { type: "span" },
      { type: "profile" },
      { type: "event", q: NO_MATCH },
      { type: "event", source: source.key },
    ],
    sources: [{}, ...ofSender],
  };
  return Object.entries(queries).flatMap(([name, ofList]) => {
    const list = name as QueryCase["list"];
    return ofList.map((query) => ({ list, query, run: () => read(inbox, list, query) }));
  });
}

function read(inbox: Inbox, list: QueryCase["list"], query: ListQuery): unknown {
  if (list === "sources") return inbox.sources(query);
  return list === "envelopes" ? inbox.envelopes(query) : inbox.page(list, query);
}

/** A filter such as `{"sort":"-count","source":"apps"}`. */
const kindOf = (query: ListQuery) => JSON.stringify(query);

/** Milliseconds of each repetition, ascending. */
function timesOf(run: () => unknown): readonly number[] {
  return Array.from({ length: REPETITIONS }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  }).toSorted((a, b) => a - b);
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
          isOwn: false,
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
