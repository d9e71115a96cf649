import {
  createSourceFinder,
  type SourceFinder,
} from "../../monitoring/models/error/source_finder.ts";
import type { ConsoleSource } from "../shared/source/source.ts";

/** One for each source, so that a map is fetched once for all errors. */
const finders = new WeakMap<ConsoleSource, SourceFinder>();

/** What looks up an error's frames in the source maps that a source can give. */
export function finderOf(source: ConsoleSource): SourceFinder {
  const known = finders.get(source);
  if (known) return known;
  const finder = createSourceFinder((debugId) => source.sourceMap(debugId));
  finders.set(source, finder);
  return finder;
}
