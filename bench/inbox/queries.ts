import type { Inbox } from "../../monitoring/inbox/inbox.ts";
import { placeOf, writeCursor } from "../../monitoring/models/index/list_cursor.ts";
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
} from "../../monitoring/models/rows.ts";
import { LOG_LEVELS } from "../../monitoring/protocol/log_levels.ts";

export interface InboxQuery {
  readonly list: keyof Lists | "envelopes" | "sources";
  readonly query: ListQuery;
}

/** What the queries search for. */
export interface QueryContext {
  /** Number of envelopes in the inbox. */
  readonly count: number;
  /** A trace in the inbox. */
  readonly traceId: string;
  /** When the newest envelope was received, milliseconds since 1970. */
  readonly now: number;
}

/** A search text that no envelope contains. */
const NO_MATCH = "nothing holds this";
const MINUTE_MS = 60_000;

/** Every filter and sort of each list, and combinations that the console uses. */
export function inboxQueries(
  inbox: Inbox,
  { count, traceId, now }: QueryContext,
): readonly InboxQuery[] {
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
    // An old page: 98 % of the inbox is newer.
    { before: writeCursor({ before: placeOf(count / 50, 0), asOf: placeOf(count + 1, 0) }) },
    { q: "checkout" },
    { q: traceId.slice(4, 28) },
    { q: NO_MATCH },
    { q: "E" },
    { q: "ÄÖ größe" },
    { q: NO_MATCH, source: APPLICATIONS },
    { trace: traceId },
    ...ofSender,
  ];
  const sortedBy = (columns: readonly SortColumn[], filters: readonly ListQuery[]): ListQuery[] =>
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
  const queries: Readonly<Record<InboxQuery["list"], readonly ListQuery[]>> = {
    traces: [...ofEveryList, ...ofTraces, ...sortedBy(TRACE_COLUMNS, ofTraces)],
    errors: [...ofEveryList, ...ofGroups, ...sortedBy(GROUP_COLUMNS, ofGroups)],
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
    pages: [...ofEveryList, ...sortedBy(PAGE_COLUMNS, [])],
    recordings: [...ofEveryList, ...sortedBy(RECORDING_COLUMNS, [])],
    envelopes: [
      ...ofEveryList,
      { type: "span" },
      { type: "profile" },
      { type: "event", q: NO_MATCH },
      { type: "event", source: source.key },
    ],
    sources: [{}, ...ofSender],
  };
  return Object.entries(queries).flatMap(([list, ofList]) =>
    ofList.map((query) => ({ list: list as InboxQuery["list"], query }))
  );
}

export function runQuery(inbox: Inbox, { list, query }: InboxQuery): unknown {
  if (list === "sources") return inbox.sources(query);
  return list === "envelopes" ? inbox.envelopes(query) : inbox.page(list, query);
}
