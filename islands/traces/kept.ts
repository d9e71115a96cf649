import { useState } from "react";
import { isSame } from "./same.ts";

/**
 * What `useMemo` does, for what takes long: a rendering that was interrupted, and begins anew, finds it made.
 *
 * @param make pure
 * @param from all that it depends on
 */
export function useKept<T>(make: () => T, from: readonly unknown[]): T {
  const [kept] = useState<{ last?: { readonly value: T; readonly from: readonly unknown[] } }>({});
  if (!kept.last || !isSame(kept.last.from, from)) kept.last = { value: make(), from };
  return kept.last.value;
}
