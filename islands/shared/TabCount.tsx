import "./background_code.ts";
import { MAX_COUNT } from "../../monitoring/models/rows.ts";
import { useSourceList } from "./source_list.ts";
import { openSource } from "./use_source.ts";
import type { View } from "./view.ts";
import { useLoaded } from "./use_loaded.ts";

/** The number of rows in the list of a view, with the address's source, release and time. */
export function TabCount({ view, variant }: { view: View; variant: string }) {
  // The views report a data source that cannot be opened.
  const { value: source } = useLoaded(() => openSource(variant), [variant]);
  const counts: Partial<Record<View, number | null>> | undefined = useSourceList(source)?.counts;
  const count = counts?.[view];
  if (typeof count !== "number") return null;
  return (
    // Not part of the link's name, which would change while it is read. Blocked from recordings: each of them
    // would change the count again.
    <small className="count" aria-hidden="true" data-sentry-block="">
      {count < MAX_COUNT ? count : `${MAX_COUNT - 1}+`}
    </small>
  );
}
