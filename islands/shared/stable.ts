import { useState } from "react";

/** Whether two lists hold the same objects in the same order. */
export function isSameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i]);
}

/**
 * `useMemo` for expensive values. React discards what `useMemo` computed in an interrupted render; this keeps it.
 *
 * @param compute a pure function
 * @param dependencies all values that it uses
 */
export function useStableMemo<T>(compute: () => T, dependencies: readonly unknown[]): T {
  const [cache] = useState<{ last?: { value: T; dependencies: readonly unknown[] } }>({});
  if (!cache.last || !isSameList(cache.last.dependencies, dependencies)) {
    cache.last = { value: compute(), dependencies };
  }
  return cache.last.value;
}
