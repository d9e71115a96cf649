import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { visitData } from "../../monitoring/browser/mod.ts";
import { type ListState, LiveList } from "./source/live_list.ts";
import type { ListQuery, Lists, Page } from "../../monitoring/models/rows.ts";
import type { ConsoleSource, SourceState } from "./source/source.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { usePause } from "./pause.ts";
import { useShown } from "./shown.ts";
import type { View } from "./view.ts";

export type { ListState } from "./source/live_list.ts";

const INBOX = "/monitoring/inbox";

/** One for the page: all views read the same. */
let opened: Promise<ConsoleSource> | undefined;

async function openInbox(): Promise<ConsoleSource> {
  const [{ createHttpSource }, { createInboxFeed }] = await Promise.all([
    import("./source/http_source.ts"),
    import("./source/feed.ts"),
  ]);
  // The source keeps no rows: one is enough to see that something came.
  return createHttpSource(INBOX, createInboxFeed(INBOX, { keep: 1 }));
}

/** Nobody tells a page what the ingest has: it reads what it has sent itself. */
async function openVisit(): Promise<ConsoleSource> {
  const { createVisitSource } = await import("./source/visit_source.ts");
  return createVisitSource(visitData);
}

/**
 * What the views read; undefined until its code has come. An error of loading is thrown to the boundary.
 *
 * @param variant `inbox` or `relay`: the inbox, or what this visit has sent
 */
export function useSource(variant: string): ConsoleSource | undefined {
  const [source, setSource] = useState<ConsoleSource>();
  useEffect(() => {
    let gone = false;
    (opened ??= variant === "inbox" ? openInbox() : openVisit()).then(
      (ready) => !gone && setSource(() => ready),
      (error) => {
        opened = undefined;
        if (!gone) {
          setSource(() => {
            throw error;
          });
        }
      },
    );
    return () => {
      gone = true;
    };
  }, [variant]);
  return source;
}

const connecting: SourceState = {
  state: "connecting",
  version: 0,
  total: 0,
  canStore: true,
};
const never = () => () => {};

/** The source's state. */
export function useSourceState(source: ConsoleSource | undefined): SourceState {
  return useSyncExternalStore(
    source?.subscribe ?? never,
    source?.snapshot ?? (() => connecting),
    () => connecting,
  );
}

/** The rows of each list, envelopes too. */
export interface ConsoleLists extends Lists {
  readonly envelopes: InboxRow;
}

/** What a row is told apart by, and the view that shows its list. */
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
  envelopes: { view: "envelopes", keyOf: (row) => String(row.id) },
};

export interface ListOptions {
  /** The view that the list stands in, where it is not the list's own. */
  readonly view?: View;
}

/** A list with what is to be done with it. */
export interface ConsoleList<Row> extends ListState<Row> {
  /** Asks once more, after a failure. */
  retry(): void;
}

/**
 * The newest rows of a list. They are asked for again when something came: only while their view is shown, and not
 * while a person has paused. What stands there stays until the answer is there.
 */
export function useList<Name extends keyof ConsoleLists>(
  source: ConsoleSource | undefined,
  name: Name,
  query: ListQuery,
  { view = LISTS[name].view }: ListOptions = {},
): ConsoleList<ConsoleLists[Name]> {
  const list = useMemo(() => source && keptList(source, name, query), [source, name]);
  const { version } = useSourceState(source);
  const held = usePause();
  const shown = useShown(view);
  const asked = JSON.stringify(query);
  const wanted = held?.version ?? version;
  useEffect(() => {
    if (shown) list?.ask(JSON.parse(asked));
  }, [list, shown, asked, wanted]);

  const state = useSyncExternalStore(
    list?.subscribe ?? never,
    list?.snapshot ?? nothingYet,
    nothingYet,
  );
  return { ...state, retry: () => list?.ask(query) };
}

/** The last list of each kind: who comes back from a detail finds its rows, older ones too, as they were. */
const kept = new WeakMap<ConsoleSource, Map<string, LiveList<unknown>>>();

function keptList<Name extends keyof ConsoleLists>(
  source: ConsoleSource,
  name: Name,
  query: ListQuery,
): LiveList<ConsoleLists[Name]> {
  const lists = kept.get(source) ?? new Map<string, LiveList<unknown>>();
  kept.set(source, lists);
  const last = lists.get(name);
  if (last?.asks(query)) return last as LiveList<ConsoleLists[Name]>;
  const list = new LiveList<ConsoleLists[Name]>({
    list: (query) => listOf(source, name, query),
    keyOf: LISTS[name].keyOf,
  });
  lists.set(name, list as LiveList<unknown>);
  return list;
}

const loading: ListState<never> = { rows: [], state: "loading" };
const nothingYet = () => loading;

function listOf<Name extends keyof ConsoleLists>(
  source: ConsoleSource,
  name: Name,
  query: ListQuery,
): Promise<Page<ConsoleLists[Name]>> {
  const rows: Promise<Page<ConsoleLists[keyof ConsoleLists]>> = name === "envelopes"
    ? source.envelopes(query)
    : source.list(name as keyof Lists, query);
  return rows as Promise<Page<ConsoleLists[Name]>>;
}
