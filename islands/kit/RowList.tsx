import { type CSSProperties, memo, type MouseEvent, type ReactNode, useRef } from "react";
import type { ListSort, SortColumn } from "../../monitoring/models/rows.ts";
import type { ConsoleList } from "../data/lists.ts";
import { changeParams } from "../shared/fragment.ts";
import { SourceLabels } from "../shared/SourceLabel.tsx";
import type { View } from "../shared/view.ts";
import { ListHead, type ListHeadProps } from "./ListHead.tsx";
import { ListNotice, OlderButton } from "./ListNotice.tsx";
import { nextSort, orderOf } from "./sort.ts";
import { type RowPlace, useRows } from "./use_rows.tsx";

/** A column of a list. */
export interface ListColumn<Row> {
  readonly title: string;
  /** Width in rem; undefined: the rest of the list. */
  readonly width?: number;
  /** Aligned at the right. */
  readonly numeric?: boolean;
  /** Left out where the list is narrow: beside a detail, and on phones. */
  readonly isWide?: boolean;
  /** What its head sorts by. */
  readonly by?: SortColumn;
  /** The content of a row's cell. One of the cells has the row's link. */
  cell(row: Row, link: RowLink): ReactNode;
}

/** Makes the link to the detail of a row. @param label accessible name; default: the text */
type RowLink = (text: ReactNode, label?: string) => ReactNode;

/**
 * A list of a view: head, table, and what is shown instead of rows. It scrolls in its own frame. Rows are navigated by
 * keyboard, and stay in their places while the user points at them. Rows in sight are rendered.
 */
interface RowListProps<Row> extends Omit<ListHeadProps, "what"> {
  readonly view: View;
  /** The rows: "envelopes"; default: the view's name. */
  readonly what?: string;
  /** The rows in notices, if filters limit them: "open errors"; default: `what`. */
  readonly whatIsMissing?: string;
  readonly list: ConsoleList<Row>;
  /** The same array in each render: else all rows are rendered again. */
  readonly columns: readonly ListColumn<Row>[];
  /** Accessible name of the table. */
  readonly caption: string;
  /** The present order. */
  readonly sort?: ListSort | undefined;
  readonly keyOf: (row: Row) => string;
  /** The address of a row's detail. */
  readonly hrefOf: (row: Row) => string;
  /** Key of the row whose detail is open. */
  readonly openKey?: string | undefined;
  /** Known rows change places: the scroll position does not follow them. */
  readonly rowsMove?: boolean;
  /** Between head and table. */
  readonly above?: ReactNode;
  /** How an application sends the first row. */
  readonly hint?: ReactNode;
  /** Shown if there are no rows at all. */
  readonly empty: ReactNode;
}

export function RowList<Row>(props: RowListProps<Row>) {
  const { view, what = view, whatIsMissing = what, list, columns, sort, keyOf, hrefOf } = props;
  const { openKey, rowsMove = false } = props;
  const frame = useRef<HTMLDivElement>(null);
  const { rows } = list;
  const { render, ...keyboard } = useRows(frame, rows, { view, keyOf, hrefOf, openKey, rowsMove });
  const hasRows = rows.length > 0;
  return (
    <div className="list">
      <ListHead {...props} what={what} />
      {props.above}
      <div
        ref={frame}
        className="rows"
        // The list moves below the pointer only when it rests.
        onPointerMove={list.hold}
        onPointerDown={list.hold}
        {...ROW_CLICKS}
        {...keyboard}
      >
        <ListNotice list={list} what={whatIsMissing} hint={props.hint}>{props.empty}</ListNotice>
        {hasRows && (
          <SourceLabels>
            <table aria-rowcount={rows.length + 1}>
              <caption className="vh">{props.caption}</caption>
              <thead>
                <tr aria-rowindex={1}>
                  {columns.map((column) => (
                    <ColumnHead key={column.title} column={column} sort={sort} />
                  ))}
                </tr>
              </thead>
              <tbody>
                {render((place, row) => (
                  <ListRow
                    key={place.rowKey}
                    row={row}
                    columns={columns as readonly ListColumn<unknown>[]}
                    href={hrefOf(row)}
                    {...place}
                  />
                ))}
              </tbody>
            </table>
          </SourceLabels>
        )}
        <OlderButton what={what} more={list.more} />
      </div>
    </div>
  );
}

/** Classes of a column's cells. */
const classOf = ({ numeric, isWide }: ListColumn<never>) =>
  `${numeric ? "n" : ""} ${isWide ? "wide" : ""}`.trim() || undefined;

function ColumnHead<Row>({ column, sort }: {
  column: ListColumn<Row>;
  sort: ListSort | undefined;
}) {
  const { title, width, by } = column;
  return (
    <th
      scope="col"
      className={classOf(column)}
      style={width === undefined ? {} : { "--width": `${width}rem` } as CSSProperties}
      aria-sort={by && orderOf(sort, by)}
    >
      {by === undefined
        ? title
        : (
          <button type="button" onClick={() => changeParams({ sort: nextSort(sort, by) })}>
            {title}
          </button>
        )}
    </th>
  );
}

/** A row of a list. Memoised: unchanged rows are not rendered again. */
const ListRow = memo(function ListRow(
  { row, columns, href, rowKey, index, isTabStop, isOpen, measure }: RowPlace & {
    row: unknown;
    columns: readonly ListColumn<unknown>[];
    href: string;
  },
) {
  const link: RowLink = (text, label) => (
    <a
      className="row-link"
      href={href}
      data-row={rowKey}
      tabIndex={isTabStop ? 0 : -1}
      aria-label={label}
      aria-current={isOpen || undefined}
    >
      {text}
    </a>
  );
  return (
    // The row of the heads is the first.
    <tr ref={measure} data-index={index} aria-rowindex={index + 2}>
      {columns.map((column) => (
        <td key={column.title} className={classOf(column)}>{column.cell(row, link)}</td>
      ))}
    </tr>
  );
});

/** Mouse navigation of a list, for the element around the rows: a click anywhere in a row opens it, unless it ends a text selection. */
const ROW_CLICKS = {
  onMouseDown({ clientX, clientY }: MouseEvent) {
    pressedAt = { clientX, clientY };
  },
  onClick(event: MouseEvent) {
    if (endsSelection(event)) return event.preventDefault();
    const target = event.target as Element;
    const link = target.closest("tr")?.querySelector("a.row-link");
    if (!link || target.closest("a, button")) return;
    // Keeps the modifier keys: with Control the link opens in a new tab.
    link.dispatchEvent(new globalThis.MouseEvent("click", event.nativeEvent));
  },
};

/** Pixels that the pointer may move during a click. */
const CLICK_TOLERANCE_PX = 4;
let pressedAt = { clientX: 0, clientY: 0 };

/** Whether a click ends a text selection. Clicks by keyboard or script have `detail` 0. */
function endsSelection({ detail, shiftKey, clientX, clientY }: MouseEvent): boolean {
  if (detail === 0 || getSelection()?.isCollapsed !== false) return false;
  const moved = Math.hypot(clientX - pressedAt.clientX, clientY - pressedAt.clientY);
  return shiftKey || moved > CLICK_TOLERANCE_PX;
}
