import { useEffect, useReducer, useState } from "react";
import { messageOf } from "./text.ts";

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
