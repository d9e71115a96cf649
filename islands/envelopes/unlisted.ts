import type { LeftOut } from "../../monitoring/models/parsed_envelope.ts";
import { formatCount } from "../../components/format/count.ts";

/**
 * What of an envelope the lists of traces, errors and logs do not show, in one sentence; undefined: they show all.
 *
 * @param moreLogs logs that were read, and only count in their traces
 */
export function unlistedInWords({ items, entries }: LeftOut, moreLogs: number): string | undefined {
  const parts = [
    items > 0 && formatCount(items, "item"),
    entries > 0 && `${formatCount(entries, "more entry", "more entries")} of items`,
    moreLogs > 0 && formatCount(moreLogs, "more log"),
  ].filter((part) => part !== false);
  if (parts.length === 0) return undefined;
  return `${
    parts.join(", ")
  }: more than one envelope may add to the lists. The envelope itself is whole.`;
}
