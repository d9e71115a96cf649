import { useDeferredValue, useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { visitData } from "../../monitoring/browser/mod.ts";
import { createInboxSource } from "./source/inbox_source.ts";
import { type ListState, LiveList } from "./source/live_list.ts";
import type { Histogram, Lists, Page } from "../../monitoring/models/rows.ts";
import type { ConsoleQuery, DataSource, SourceState } from "./source/source.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { isAge } from "../../monitoring/models/time_bound.ts";
import { MOVING_RANGE_MS } from "./filters.ts";
import { useIsVisible } from "./fragment.ts";
import { Store } from "./store.ts";
import type { View } from "./view.ts";

const INBOX = "/monitoring/inbox";

/** One source for the page; all views share it. */
let opened: Promise<DataSource> | undefined;

/** In relay mode a page cannot read what the ingest has, so the views show what this page sent. */
async function openVisit(): Promise<DataSource> {
  const { createThisPageSource } = await import("./source/this_page_source.ts");
  return createThisPageSource(visitData);
}

/** Opens the data source once for the page. After a failure the next call tries again. */
export function openSource(variant: string): Promise<DataSource> {
  return opened ??= (variant === "inbox" ? Promise.resolve(createInboxSource(INBOX)) : openVisit())
    .catch((error) => {
      opened = undefined;
      throw error;
    });
}

/**
 * The data source of the views; undefined while its code is loading. A failure to load is thrown to the error boundary.
 *
 * @param variant `inbox`: reads the inbox; `relay`: reads what this page has sent
 */
export function useSource(variant: string): DataSource | undefined {
  const [source, setSource] = useState<DataSource>();
  useEffect(() => {
    openSource(variant).then(setSource, (error) =>
      setSource(() => {
        throw error;
      }));
  }, [variant]);
  return source;
}

const CONNECTING: SourceState = {
  state: "connecting",
  version: 0,
  total: 0,
  refusedVersion: 0,
  canStore: true,
};
const subscribeToNothing = () => () => {};

/** The source's state; renders the component again when it changes. */
export function useSourceState(source: DataSource | undefined): SourceState {
  return useSyncExternalStore(
    source?.subscribe ?? subscribeToNothing,
    source?.snapshot ?? (() => CONNECTING),
    () => CONNECTING,
  );
}

/** The row type of each list. */
interface ConsoleLists extends Lists {
  readonly envelopes: InboxRow;
  /** One row. */
  readonly histogram: Histogram;
}

/** The view that shows each list, and the key of its rows. */
const LISTS: {
  readonly [Name in keyof ConsoleLists]: {
    readonly view: View;
    readonly keyOf: (row: ConsoleLists[Name]) => string;
  };
} = {
  traces: { view: "traces", keyOf: (row) => row.trace_id },
  errors: { view: "errors", keyOf: (row) => row.group },
  occurrences: { view: "errors", keyOf: (row) => `${row.envelope} ${row.event_id}` },
  logs: { view: "logs", keyOf: (row) => `${row.envelope} ${row.index}` },
  pages: { view: "traces", keyOf: (row) => `${row.source} ${row.page}` },
  recordings: { view: "recordings", keyOf: (row) => row.replay_id },
  envelopes: { view: "envelopes", keyOf: (row) => String(row.id) },
  histogram: { view: "overview", keyOf: () => "histogram" },
};

/** A list's state and its actions. */
export interface ConsoleList<Row> extends ListState<Row> {
  /** Requests the rows of all lists again that could not be read. */
  retry(): void;
  /** Keeps the rows for a second: none moves away from the user who aims at it. */
  hold(): void;
}

/**
 * The newest rows of a list. Requests them again when the source changes, but only while the view is visible and the
 * lists are not paused. The old rows stay until the response arrives.
 *
 * @param options.view the view that shows the list; default: the list's own
 */
export function useList<Name extends keyof ConsoleLists>(
  source: DataSource | undefined,
  name: Name,
  query: ConsoleQuery,
  { view = LISTS[name].view }: { readonly view?: View } = {},
): ConsoleList<ConsoleLists[Name]> {
  const key = [view, name, query.limit, query.of].join();
  const list = useMemo(() => source && cachedList(source, name, key, query), [source, key]);
  const { version } = useSourceState(source);
  const paused = usePausedState();
  const isPaused = paused !== undefined;
  const isVisible = useIsVisible(view);
  const queryJson = JSON.stringify(query);
  const followed = isPaused ? undefined : version;
  useEffect(() => {
    if (!isVisible || !list) return;
    const query = JSON.parse(queryJson);
    const unfreeze = isPaused && list.freeze(query);
    if (unfreeze) return unfreeze;
    list.read(query);
    return () => list.rest();
  }, [list, isVisible, queryJson, isPaused, followed]);

  const isMoving = isAge(query.since ?? "");
  useEffect(() => {
    if (!isVisible || !isMoving || isPaused) return;
    const timer = setInterval(() => list?.read(JSON.parse(queryJson)), MOVING_RANGE_MS);
    return () => clearInterval(timer);
  }, [list, isVisible, queryJson, isMoving, isPaused]);

  // Deferred: React renders hundreds of rows in short tasks, between which the page takes input.
  const state = useDeferredValue(useSyncExternalStore(
    list?.subscribe ?? subscribeToNothing,
    list?.snapshot ?? loadingList,
    loadingList,
  ));
  const retry = () => {
    for (const list of (source && cache.get(source))?.values() ?? []) list.retry();
  };
  return { ...state, retry, hold: () => list?.hold() };
}

/** The last list of each kind in each view, short lists apart from whole ones. When the user returns from a detail, all loaded rows are still there. */
const cache = new WeakMap<DataSource, Map<string, LiveList<unknown>>>();

function cachedList<Name extends keyof ConsoleLists>(
  source: DataSource,
  name: Name,
  key: string,
  query: ConsoleQuery,
): LiveList<ConsoleLists[Name]> {
  const lists = cache.get(source) ?? new Map<string, LiveList<unknown>>();
  cache.set(source, lists);
  const last = lists.get(key);
  if (last?.isFor(query)) return last as LiveList<ConsoleLists[Name]>;
  const list = new LiveList<ConsoleLists[Name]>({
    list: (query) => listOf(source, name, query),
    keyOf: LISTS[name].keyOf,
  });
  lists.set(key, list as LiveList<unknown>);
  return list;
}

const LOADING: ListState<never> = { rows: [], state: "loading" };
const loadingList = () => LOADING;

function listOf<Name extends keyof ConsoleLists>(
  source: DataSource,
  name: Name,
  query: ConsoleQuery,
): Promise<Page<ConsoleLists[Name]>> {
  const rows: Promise<Page<ConsoleLists[keyof ConsoleLists]>> = name === "envelopes"
    ? source.envelopes(query)
    : name === "histogram"
    ? histogramOf(source, query)
    : source.list(name as keyof Lists, query);
  return rows as Promise<Page<ConsoleLists[Name]>>;
}

async function histogramOf(source: DataSource, query: ConsoleQuery): Promise<Page<Histogram>> {
  const histogram = await source.histogram?.(query);
  return { rows: histogram ? [histogram] : [], next: null };
}

/** The source's state when the user paused the lists; undefined: not paused. All views share it. */
const pausedState = new Store<SourceState | undefined>(undefined);

/** Keeps all lists as they are at this state. */
export function pauseLists(state: SourceState): void {
  pausedState.set(state);
}

/** Makes the lists follow the source again. */
export function resumeLists(): void {
  pausedState.set(undefined);
}

/** The state at which the lists are paused; undefined: not paused. */
export function usePausedState(): SourceState | undefined {
  return useSyncExternalStore(pausedState.subscribe, pausedState.snapshot, () => undefined);
}
