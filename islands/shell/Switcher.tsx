import "../background_code.ts";
import { useEffect, useRef } from "react";
import { formatNumber } from "../../components/format.ts";
import { Icon } from "../../components/Icon.tsx";
import {
  type ApplicationList,
  fullLabel,
  MAX_COUNT,
  OWN_APPLICATION,
} from "../../monitoring/models/application_rows.ts";
import { APPLICATIONS } from "../../monitoring/models/list_query.ts";
import { useApplications } from "../data/lists.ts";
import { ALL } from "../data/filters.ts";
import { changeParams, useFragment } from "../data/fragment.ts";
import { useCurrentView } from "../data/view.ts";
import { newCounts } from "./Navigation.tsx";

/** Chooses whose rows all views show. Nothing while there is one application. Loaded with the first view. */
export function Switcher() {
  const { params } = useFragment();
  const list = useApplications();
  useNewCounts(list);
  const rows = list?.rows ?? [];
  const chosen = params.get("application") ?? "";
  const value = chosen === APPLICATIONS ? "" : chosen;
  if (rows.length < 2 && value === "") return null;

  // Senders of client reports or profiles alone have no environment. They cannot be chosen.
  const applications = rows
    .filter(({ key, environment }) => key !== OWN_APPLICATION.key && environment !== null)
    .map((row) => [row.key, fullLabel(row)] as const)
    .sort(([, a], [, b]) => a < b ? -1 : 1);
  const known = ["", ALL, OWN_APPLICATION.key, ...applications.map(([key]) => key)];
  return (
    <label className="switcher beside">
      <Icon name="applications" />
      <span className="vh">Application</span>
      <select
        value={value}
        onChange={({ target }) =>
          changeParams({ application: target.value, release: "", environment: "", op: "" })}
      >
        <option value="">All applications</option>
        {applications.map(([key, label]) => <option key={key} value={key}>{label}</option>)}
        <option value={OWN_APPLICATION.key}>Sightglass itself</option>
        <option value={ALL}>Everything</option>
        {/* A link may name an application whose envelopes were deleted, or that is not among the newest 100. */}
        {!known.includes(value) && <option value={value}>Another application</option>}
      </select>
    </label>
  );
}

/**
 * Counts what has arrived in each list since the user looked at it, with the same filters; nothing during a search. Sums
 * up what each answer has more than the one before: others leave a list, by a moving time or deleted.
 */
function useNewCounts(list: (ApplicationList & { readonly of: string }) | undefined): void {
  const view = useCurrentView();
  const isSearch = useFragment().params.has("q");
  const seen = useRef<{ list: typeof list; added: Readonly<Record<string, number>> }>(undefined);
  useEffect(() => {
    if (isSearch) newCounts.set({});
    if (!list || isSearch) return;
    const { list: before = list, added = {} } = seen.current?.list?.of === list.of
      ? seen.current
      : {};
    const counts = Object.entries(list.counts).map(([name, count]) => {
      const more = Math.max(0, count - before.counts[name as keyof typeof before.counts]);
      const isSeen = name === view && !document.hidden;
      return { name, count, sum: isSeen ? 0 : (added[name] ?? 0) + more };
    });
    seen.current = { list, added: Object.fromEntries(counts.map(({ name, sum }) => [name, sum])) };
    newCounts.set(
      Object.fromEntries(
        counts.map(({ name, count, sum }) => {
          // The server counts no further.
          const isFull = count === MAX_COUNT;
          if (sum > 0) return [name, `${formatNumber(sum)}${isFull ? "+" : ""} new`];
          return [name, isFull && name !== view ? `${formatNumber(MAX_COUNT)}+` : ""];
        }),
      ),
    );
  }, [list, view, isSearch]);
}
