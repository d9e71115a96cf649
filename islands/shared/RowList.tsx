import { type ReactNode, useRef } from "react";
import { useReturnToRow, useRowKeys } from "./list_navigation.ts";
import { ListNotice, OlderButton } from "./ListNotice.tsx";
import { ListToolbar } from "./ListToolbar.tsx";
import { SourceLabels } from "./SourceLabel.tsx";
import type { DataSource } from "./source/source.ts";
import type { ConsoleList } from "./use_source.ts";
import type { View } from "./view.ts";

/**
 * A list of a view: toolbar, table, and what is shown instead of rows. Rows are navigated by keyboard, and stay in
 * their places while the user points at them.
 *
 * @param props.what the rows: "envelopes"; default: the view's name
 * @param props.whatIsMissing the rows in notices, if filters limit them: "open errors"; default: `what`
 * @param props.keys of the rows in display order, as in their `data-row`
 * @param props.returnFrom key of the row that was open before; it gets the focus
 * @param props.filters the view's own filters
 * @param props.actions the view's own buttons
 * @param props.menu the view's own buttons in the menu
 * @param props.hint how an application sends the first row
 * @param props.above between toolbar and table
 * @param props.empty shown if there are no rows at all
 * @param props.children returns the table; receives the key of the row that is the tab stop
 */
export function RowList(
  { source, view, what = view, whatIsMissing = what, list, keys, returnFrom, ...parts }: {
    source: DataSource | undefined;
    view: View;
    what?: string;
    whatIsMissing?: string;
    list: ConsoleList<unknown>;
    keys: readonly string[];
    returnFrom?: string | undefined;
    filters?: ReactNode;
    actions?: ReactNode;
    menu?: ReactNode;
    hint?: ReactNode;
    above?: ReactNode;
    empty: ReactNode;
    children: (tabStop: string | undefined) => ReactNode;
  },
) {
  const { tabStop, events } = useRowKeys(keys, returnFrom);
  const container = useRef<HTMLDivElement>(null);
  const hasRows = keys.length > 0;
  useReturnToRow(view, container, returnFrom, hasRows);
  return (
    <div ref={container} {...events}>
      <ListToolbar source={source} what={what} actions={parts.actions} menu={parts.menu}>
        {parts.filters}
      </ListToolbar>
      {parts.above}
      <ListNotice source={source} list={list} what={whatIsMissing} hint={parts.hint}>
        {parts.empty}
      </ListNotice>
      {hasRows && (
        <div onPointerMove={list.hold} onPointerDown={list.hold} onKeyDown={list.hold}>
          <SourceLabels source={source}>{parts.children(tabStop)}</SourceLabels>
        </div>
      )}
      <OlderButton what={what} more={list.more} />
    </div>
  );
}
