import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useMemo, useRef } from "react";
import { type ApplicationList, OWN_APPLICATION } from "../../monitoring/models/application_rows.ts";
import type { GroupState } from "../../monitoring/models/error/error_row.ts";
import type { Lists, Page } from "../../monitoring/models/rows.ts";
import { APPLICATIONS } from "../../monitoring/models/list_query.ts";
import { isAge } from "../../monitoring/models/time_units.ts";
import { MOVING_RANGE_MS, queryOf } from "./filters.ts";
import { useFragment, useIsVisible } from "./fragment.ts";
import { useAskedForOwnRows } from "./own_rows.ts";
import { messageOf } from "../../components/format.ts";
import { client, LIVE, retryFailed, useIsPaused } from "./queries.ts";
import type { ConsoleQuery } from "./inbox.ts";
import { isRelay, read } from "./read.ts";

/** The key of a list's rows: a newer state of a row replaces the known one. */
const KEYS: { readonly [Name in keyof Lists]: (row: Lists[Name]) => string } = {
  traces: (row) => row.trace_id,
  errors: (row) => row.group,
  occurrences: (row) => `${row.envelope} ${row.event_id}`,
  logs: (row) => `${row.envelope}/${row.index}`,
  pages: (row) => `${row.application} ${row.page}`,
  endpoints: (row) => `${row.application} ${row.op} ${row.name}`,
  queries: (row) => `${row.application} ${row.statement}`,
  recordings: (row) => row.replay_id,
  ai_runs: (row) => `${row.trace_id}/${row.span_id}`,
  ai_sums: (row) => `${row.by} ${row.value}`,
  feedback: (row) => row.group,
  profiles: (row) => row.profile_id,
  monitors: (row) => row.monitor,
  runs: (row) => `${row.envelope}/${row.index}`,
  metrics: (row) => `${row.name} ${row.kind} ${row.unit}`,
  envelopes: (row) => String(row.id),
};

/** A list's state and its actions. The last rows stay while it is read again. */
export interface ConsoleList<Row> {
  /** Names the list and its query. */
  readonly of: string;
  /** Newest first. */
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  /** `loading`: no page of this query was received yet. */
  readonly state: "loading" | "ready" | "failed";
  readonly error?: string | undefined;
  /** Reads older rows; undefined: there are none. */
  readonly more?: (() => void) | undefined;
  /** Reads all lists again that could not be read. */
  retry(): void;
}

/**
 * The newest rows of a list, and older ones on request. They are read again when the inbox changes, but only while the
 * view is visible and the lists are not paused.
 *
 * @param wanted undefined: not known yet
 */
export function useList<Name extends keyof Lists>(
  name: Name,
  wanted: ConsoleQuery | undefined,
): ConsoleList<Lists[Name]> {
  type Row = Lists[Name];
  const { query, isGuess } = useWithOwn(wanted);
  const key = [LIVE, name, query];
  const of = JSON.stringify(key);
  const keyOf = KEYS[name];
  const known = () => client.getQueryData<Rows<Row>>(key);
  const { data, status, isPlaceholderData, ...answer } = useLive(
    name,
    query,
    async () => withNewest(await readPage(name, query), known(), keyOf),
    false,
  );
  const isLoading = status === "pending" || isPlaceholderData || isGuess;
  const failure = answer.failure ?? data?.failure;
  const list = useMemo((): ConsoleList<Row> => {
    const hasMore = data && data.next !== null && !isLoading;
    return {
      of,
      rows: data?.rows ?? [],
      keyOf,
      state: failure !== undefined ? "failed" : isLoading ? "loading" : "ready",
      error: failure,
      more: hasMore ? () => void readOlder(name, query, key, keyOf) : undefined,
      retry: () => void retryFailed(),
    };
  }, [data, failure, isLoading, of]);
  // Deferred: React renders hundreds of rows in short tasks, between which the page takes input.
  return useDeferredValue(list);
}

/**
 * A row by the envelope that it is of, and its index in it.
 *
 * @param key "ENVELOPE/INDEX", as in the address; any other text is of no row
 * @param shown the list of the view, which may lack the row: it is older or filtered out
 */
export function useRowOf<Name extends "logs" | "runs">(
  name: Name,
  key: string,
  shown: ConsoleList<Lists[Name]>,
) {
  const isKey = (row: Lists[Name]) => shown.keyOf(row) === key;
  const known = shown.rows.find(isKey);
  const envelope = Number(key.split("/")[0]);
  const isAddress = Number.isSafeInteger(envelope) && envelope > 0;
  const list = useList(name, known || !isAddress ? undefined : { envelope });
  return { ...list, row: known ?? list.rows.find(isKey), state: isAddress ? list.state : "ready" };
}

/**
 * The query, with the rows of Sightglass if the user has asked for them and no other application has sent any.
 * `isGuess`: it is not known yet who has.
 */
function useWithOwn(query: ConsoleQuery | undefined) {
  const asked = useAskedForOwnRows();
  const { data, isError } = useApplicationsRead();
  const isDefault = !isRelay && query?.application === APPLICATIONS;
  if (!asked || !isDefault) return { query, isGuess: false };
  if (!data) return { query, isGuess: !isError };
  // With envelopes that name no application.
  const { application: _, ...all } = query;
  return { query: isOwnOnly(data) ? all : query, isGuess: false };
}

/**
 * What arrives changes the answer: it is read while the view is visible, again after each change, and in intervals if the
 * query's time range moves, or states depend on the time. The last answer stays until the next one.
 */
function useLive<Answer>(
  name: string,
  query: ConsoleQuery | undefined,
  queryFn: () => Promise<Answer>,
  structuralSharing = true,
) {
  const isVisible = useIsVisible();
  const isPaused = useIsPaused();
  const isMoving = (isAge(query?.since ?? "") || name === "monitors" || name === "runs") &&
    !isPaused;
  const answer = useQuery({
    queryKey: [LIVE, name, query],
    queryFn,
    enabled: isVisible && query !== undefined,
    refetchInterval: isMoving && MOVING_RANGE_MS,
    placeholderData: keepPreviousData,
    structuralSharing,
  }, client);
  const { data, error } = answer;
  // While an answer that could not be read is read again, the failure stays.
  const lastError = useRef<Error>(undefined);
  lastError.current = error ?? (data === undefined ? lastError.current : undefined);
  return { ...answer, failure: lastError.current && messageOf(lastError.current) };
}

interface Rows<Row> {
  readonly rows: readonly Row[];
  /** Cursor of the next, older page; null: there is none. */
  readonly next: string | null;
  readonly hasOlder: boolean;
  /** Why the older page could not be read, for display. */
  readonly failure?: string;
}

const readPage = <Name extends keyof Lists>(name: Name, query: ConsoleQuery | undefined) =>
  read(name, query) as Promise<Page<unknown>> as Promise<Page<Lists[Name]>>;

/** The newest page with the older rows that are known. */
function withNewest<Row>(
  page: Page<Row>,
  known: Rows<Row> | undefined,
  keyOf: (row: Row) => string,
): Rows<Row> {
  const before = new Map(known?.rows.map((row) => [keyOf(row), row]));
  const newest = page.rows.map((row) => unchanged(before.get(keyOf(row)), row));
  // Without a next page the answer is the whole list: other rows were deleted.
  if (!known?.hasOlder || page.next === null) {
    return { rows: newest, next: page.next, hasOlder: false };
  }
  newest.forEach((row) => before.delete(keyOf(row)));
  return { rows: [...newest, ...before.values()], next: known.next, hasOlder: true };
}

/** The known object of a row that has not changed: memoized components do not render it again. */
const unchanged = <Row>(known: Row | undefined, row: Row): Row =>
  known !== undefined && JSON.stringify(known) === JSON.stringify(row) ? known : row;

/** Adds the next page of older rows. Calls while it is read share the request. */
async function readOlder<Name extends keyof Lists>(
  name: Name,
  query: ConsoleQuery | undefined,
  key: readonly unknown[],
  keyOf: (row: Lists[Name]) => string,
): Promise<void> {
  type Known = Rows<Lists[Name]> | undefined;
  const before = client.getQueryData<Known>(key)?.next;
  if (!before) return;
  const change = (next: (known: NonNullable<Known>) => Known) =>
    client.setQueryData<Known>(key, (known) => known && next(known));
  try {
    const older = await client.fetchQuery({
      queryKey: ["older", name, query, before],
      queryFn: () => readPage(name, { ...query, before }),
      gcTime: 0,
    });
    change((known) => {
      const keys = new Set(older.rows.map(keyOf));
      const rows = [...known.rows.filter((row) => !keys.has(keyOf(row))), ...older.rows];
      return { rows, next: older.next, hasOlder: true };
    });
  } catch (error) {
    change((known) => ({ ...known, failure: messageOf(error) }));
  }
}

/** Shows the new state of a group: a busy server is seconds behind with its lists. They are read again. */
export function showState(group: string, state: GroupState): void {
  for (const name of ["errors", "feedback"] as const) {
    const queryKey = [LIVE, name];
    client.setQueriesData<Rows<Lists[typeof name]>>({ queryKey }, (known) =>
      known && {
        ...known,
        rows: known.rows.map((row) =>
          row.group === group ? { ...row, state, regression: null } : row
        ),
      });
    // Also ends a read from before the change.
    void client.invalidateQueries({ queryKey });
  }
}

/** A list over time, live, and why it could not be read, for display. @param wanted undefined: not known yet */
export function useHistogram(wanted: ConsoleQuery | undefined) {
  const { query } = useWithOwn(wanted);
  return useLive("histogram", query, () => read("histogram", query));
}

/** The applications, and the counts of all lists with the filters of the address but its search, live; undefined until
 * they are known. `of`: the filters that they are of. */
export const useApplications = (): (ApplicationList & { readonly of: string }) | undefined =>
  useApplicationsRead().data;

/** {@linkcode useApplications}, and why they could not be read, for display. */
export function useApplicationsRead() {
  const { params } = useFragment();
  const { q: _, ...filters } = queryOf(params);
  return useLive("applications", filters, async () => {
    const list = await read("applications", filters);
    // Their order changes with each arrival.
    const rows = list.rows.toSorted((a, b) => a.key < b.key ? -1 : 1);
    return { ...list, rows, of: JSON.stringify(filters) };
  });
}

/** Whether nothing but Sightglass itself has sent anything. */
export const isOwnOnly = ({ rows }: ApplicationList) =>
  rows.every(({ key }) => key === OWN_APPLICATION.key);
