import { useEffect, useReducer, useState } from "react";
import type { DataSource } from "./source/source.ts";
import { messageOf } from "./text.ts";
import { useSourceState } from "./use_source.ts";

/** A value that is loaded, and loaded again when what it depends on changes. */
export interface Loaded<T> {
  readonly state: "loading" | "ready" | "failed";
  /** The last value. It stays while the next one is loading, and if that fails. */
  readonly value?: T | undefined;
  /** Why the last attempt failed, for display. */
  readonly error?: string;
  /** Loads again. */
  retry(): void;
}

/**
 * Loads a value after the first render and after each change of the dependencies. Only the newest attempt counts.
 *
 * @param load its signal is aborted when the attempt is outdated; undefined or false: not possible yet
 * @param dependencies all values that `load` uses
 */
export function useLoaded<T>(
  load: ((outdated: AbortSignal) => Promise<T>) | undefined | false,
  dependencies: readonly unknown[],
): Loaded<T> {
  const [loaded, setLoaded] = useState<Omit<Loaded<T>, "retry">>({ state: "loading" });
  const [attempt, retry] = useReducer((attempt: number) => attempt + 1, 0);
  useEffect(() => {
    if (!load) return;
    const outdated = new AbortController();
    const { signal } = outdated;
    setLoaded(({ value }) => ({ state: "loading", value }));
    load(signal).then(
      (value) => signal.aborted || setLoaded({ state: "ready", value }),
      (error) =>
        signal.aborted ||
        setLoaded(({ value }) => ({ state: "failed", value, error: messageOf(error) })),
    );
    return () => outdated.abort();
  }, [...dependencies, attempt]);
  return { ...loaded, retry };
}

/**
 * Loads a value from a data source as {@linkcode useLoaded} does, after a failure also once the source answers again.
 *
 * @param source undefined while its code loads
 * @param read undefined or false: not possible yet
 * @param dependencies all values that `read` uses except the source
 */
export function useRead<T>(
  source: DataSource | undefined,
  read: ((source: DataSource, outdated: AbortSignal) => Promise<T>) | undefined | false,
  dependencies: readonly unknown[],
): Loaded<T> {
  const { state } = useSourceState(source);
  const loaded = useLoaded(
    source && read && ((outdated) => read(source, outdated)),
    [source, ...dependencies],
  );
  useEffect(() => {
    if (state === "live" && loaded.state === "failed") loaded.retry();
  }, [state]);
  return loaded;
}
