import { type ReactNode, useRef } from "react";
import { DataTable, type DataTableProps } from "../../components/DataTable.tsx";
import { ROW_CLICKS, useReturnToRow } from "./list_navigation.ts";
import { ListNotice, OlderButton } from "./ListNotice.tsx";
import { ListToolbar } from "./ListToolbar.tsx";
import { SourceLabels } from "./SourceLabel.tsx";
import type { ConsoleList } from "../data/lists.ts";
import { type RowPlace, useTableRows } from "./use_table_rows.tsx";
import type { View } from "./view.ts";

/**
 * A list of a view: toolbar, table, and what is shown instead of rows. Rows are navigated by keyboard, and stay in
 * their places while the user points at them. Rows in sight are rendered.
 *
 * @param props.what the rows: "envelopes"; default: the view's name
 * @param props.whatIsMissing the rows in notices, if filters limit them: "open errors"; default: `what`
 * @param props.keyOf a row's key, as in the `data-row` of its link
 * @param props.returnFrom key of the row that was open before; it gets the focus
 * @param props.rowsMove known rows change places: the scroll position does not follow them
 * @param props.filters the view's own filters
 * @param props.actions the view's own buttons
 * @param props.menu the view's own buttons in the menu
 * @param props.hint how an application sends the first row
 * @param props.above between toolbar and table
 * @param props.empty shown if there are no rows at all
 * @param props.table its class, caption and columns
 * @param props.children returns a row: a {@linkcode ListRow} with a link of the class `row-link`
 */
export function RowList<Row>(
  {
    view,
    what = view,
    whatIsMissing = what,
    list,
    keyOf,
    returnFrom,
    rowsMove = false,
    ...parts
  }: {
    view: View;
    what?: string;
    whatIsMissing?: string;
    list: ConsoleList<Row>;
    keyOf: (row: Row) => string;
    returnFrom?: string | undefined;
    rowsMove?: boolean;
    filters?: ReactNode;
    actions?: ReactNode;
    menu?: ReactNode;
    hint?: ReactNode;
    above?: ReactNode;
    empty: ReactNode;
    table: Omit<DataTableProps, "rowCount" | "children">;
    children: (row: Row, place: RowPlace) => ReactNode;
  },
) {
  const container = useRef<HTMLDivElement>(null);
  const { rows } = list;
  const { render, ...keyboard } = useTableRows(container, rows.map(keyOf), {
    view,
    initial: returnFrom,
    rowsMove,
  });
  const hasRows = rows.length > 0;
  useReturnToRow(view, container, returnFrom, hasRows);
  return (
    <div ref={container} {...ROW_CLICKS} {...keyboard}>
      <ListToolbar
        view={view}
        what={what}
        actions={parts.actions}
        menu={parts.menu}
      >
        {parts.filters}
      </ListToolbar>
      {parts.above}
      <ListNotice list={list} what={whatIsMissing} hint={parts.hint}>
        {parts.empty}
      </ListNotice>
      {hasRows && (
        <div
          onPointerMove={list.hold}
          onPointerDown={list.hold}
          onKeyDown={list.hold}
        >
          <SourceLabels>
            <DataTable {...parts.table} rowCount={rows.length}>
              {render((place) => parts.children(rows[place.index]!, place))}
            </DataTable>
          </SourceLabels>
        </div>
      )}
      <OlderButton what={what} more={list.more} />
    </div>
  );
}
