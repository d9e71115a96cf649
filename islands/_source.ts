import { useEffect, useState, useSyncExternalStore } from "react";
import type { ListQuery, Lists, Page } from "../monitoring/inbox/read/rows.ts";
import type { ConsoleSource, SourceState } from "../monitoring/inbox/read/source.ts";

/** One for the page: all views read the same. */
let opened: Promise<ConsoleSource> | undefined;

async function open(): Promise<ConsoleSource> {
  const [{ createHttpSource }, { createInboxFeed }] = await Promise.all([
    import("../monitoring/inbox/read/http_source.ts"),
    import("../monitoring/inbox/feed.ts"),
  ]);
  return createHttpSource("/monitoring/inbox", createInboxFeed("/monitoring/inbox"));
}

/** What the views read; undefined until its code has come. An error of loading is thrown to the boundary. */
export function useSource(_variant: string): ConsoleSource | undefined {
  const [source, setSource] = useState<ConsoleSource>();
  useEffect(() => {
    let gone = false;
    (opened ??= open()).then((ready) => !gone && setSource(() => ready), (error) => {
      opened = undefined;
      if (!gone) {
        setSource(() => {
          throw error;
        });
      }
    });
    return () => {
      gone = true;
    };
  }, []);
  return source;
}

const connecting: SourceState = { state: "connecting", version: 0, total: 0 };
const never = () => () => {};

/** The source's state. */
export function useSourceState(source: ConsoleSource | undefined): SourceState {
  return useSyncExternalStore(
    source?.subscribe ?? never,
    source?.snapshot ?? (() => connecting),
    () => connecting,
  );
}

/** A list as it stands on the screen: what came last stays while it is asked for again. */
export interface ListState<Row> {
  readonly rows: readonly Row[];
  readonly state: "loading" | "ready" | "failed";
  /** Made to be shown. */
  readonly error?: string;
  /** Fetches older rows; undefined: there are none. */
  readonly more?: () => void;
}

/** The newest rows of a list, asked for again when something came. */
export function useList<Name extends keyof Lists>(
  source: ConsoleSource | undefined,
  name: Name,
  query: ListQuery,
): ListState<Lists[Name]> {
  const { version } = useSourceState(source);
  const [list, setList] = useState<ListState<Lists[Name]>>({ rows: [], state: "loading" });
  const asked = JSON.stringify(query);
  useEffect(() => {
    if (!source) return;
    let late = false;
    const take = (before: readonly Lists[Name][], { rows, next }: Page<Lists[Name]>) => {
      if (late) return;
      const all = [...before, ...rows];
      setList({
        rows: all,
        state: "ready",
        ...(next !== null && { more: () => void ask(all, next) }),
      });
    };
    const ask = async (before: readonly Lists[Name][], next?: string) => {
      try {
        take(before, await source.list(name, { ...JSON.parse(asked), before: next }));
      } catch (error) {
        if (!late) setList((list) => ({ ...list, state: "failed", error: String(error) }));
      }
    };
    void ask([]);
    return () => {
      late = true;
    };
  }, [source, name, asked, version]);
  return list;
}
