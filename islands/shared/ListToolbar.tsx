import { type ReactNode, useId, useState } from "react";
import { useFragment } from "./fragment.ts";
import { InboxMenu } from "./InboxMenu.tsx";
import { LiveStatus } from "./LiveStatus.tsx";
import { SearchField } from "./SearchField.tsx";
import { SourceFilter } from "./SourceFilter.tsx";
import { TimeFilter } from "./TimeFilter.tsx";
import { PAGE_VIEWS, type View } from "./view.ts";
import { useSourceState } from "../data/queries.ts";
import { source } from "../data/source.ts";

/**
 * The toolbar above each list: search, filters, status, pause, and the menu of all envelopes. On phones the filters are
 * folded.
 *
 * @param props.what the list's rows, for the search's accessible name: "envelopes"
 * @param props.children the view's own filters
 * @param props.actions the view's own buttons
 * @param props.menu the view's own buttons in the menu
 */
export function ListToolbar({ view, what, children, actions, menu }: {
  view: View;
  what: string;
  children?: ReactNode;
  actions?: ReactNode;
  menu?: ReactNode;
}) {
  const { state } = useSourceState();
  const { params } = useFragment();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  // Without access there is nothing to search, export or delete.
  if (state === "forbidden") return null;
  const active = countFilters(params);
  // All envelopes of this page are in one list, of one sender.
  const isPage = source.scope === "visit";
  return (
    <div className="bar feed">
      {/* The view's heading, which is not visible, has the same text. */}
      <span className="title" aria-hidden="true">{PAGE_VIEWS[view]}</span>
      {isPage ? null : <SearchField what={what} disabled={!source} />}
      <div className="actions">
        <LiveStatus />
        {actions}
        {source && <InboxMenu>{menu}</InboxMenu>}
      </div>
      <button
        type="button"
        className="fold"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        Filters{active > 0 && ` (${active})`}
      </button>
      <div id={id} className={isOpen ? "filters open" : "filters"}>
        {!isPage && <SourceFilter />}
        {!isPage && <TimeFilter />}
        {children}
      </div>
    </div>
  );
}

/** Parameters of a list's address that are no filters, or are shown elsewhere. */
const NO_FILTERS = new Set(["q", "sort", "trace", "name"]);

/** Filters that are set; the start and end of a time range are one. */
function countFilters(params: URLSearchParams): number {
  const names = Array.from(params.keys(), (name) => name === "until" ? "since" : name);
  return new Set(names).difference(NO_FILTERS).size;
}
