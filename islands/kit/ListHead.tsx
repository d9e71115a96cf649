import type { ReactNode } from "react";
import { Icon } from "../../components/Icon.tsx";
import { formatCount } from "../../components/format.ts";
import { useInboxState } from "../data/inbox_state.ts";
import { isRelay } from "../data/read.ts";
import { useView } from "../data/view.ts";
import { Chips, FilterMenu, TimeFilter, useChoices } from "./FilterControls.tsx";
import type { ListName } from "../../monitoring/models/list_query.ts";
import { InboxMenu } from "./InboxMenu.tsx";
import { LiveButton } from "./LiveButton.tsx";
import { SearchField } from "./SearchField.tsx";

export interface ListHeadProps {
  /** The rows, for the search's accessible name: "envelopes". */
  readonly what: string;
  /** The list whose filters it has; default: those of all lists. */
  readonly of?: ListName | undefined;
  readonly actions?: ReactNode;
  readonly menu?: ReactNode;
}

/** The head of a list: its query, the time, whether it is live, and the menu of all envelopes. */
export function ListHead({ what, of, actions, menu }: ListHeadProps) {
  const { state, total } = useInboxState();
  const { title } = useView();
  const filters = useChoices(of);
  // Without access there is nothing to search, export or delete.
  if (state === "forbidden") return null;
  return (
    <div className="list-head line head">
      {/* The view's heading, which is not visible, has the same text. */}
      <b className="title" aria-hidden="true">{title}</b>
      {/* All envelopes of this page are in one list, of one sender. */}
      {!isRelay && (
        <div className="query line well">
          <Icon name="search" />
          <Chips filters={filters} />
          <SearchField what={what} filters={filters} />
          <FilterMenu filters={filters} />
        </div>
      )}
      <div className="actions line">
        {isRelay ? <p>{formatCount(total, "envelope")} of this page</p> : <TimeFilter />}
        <LiveButton />
        {/* Where there is little room they are in the menu. */}
        {actions && <div className="wide">{actions}</div>}
        {!isRelay && (
          <InboxMenu>
            {actions && <div className="narrow-only">{actions}</div>}
            {menu}
          </InboxMenu>
        )}
      </div>
    </div>
  );
}
