import { formatCount } from "../../components/format.ts";
import { type CSSProperties, memo, type MouseEvent, type ReactNode, useRef } from "react";
import type { ListSort, SortColumn } from "../../monitoring/models/list_query.ts";
import type { ConsoleList } from "../data/lists.ts";
import { isRelay } from "../data/read.ts";
import { changeParams } from "../data/fragment.ts";
import { ApplicationLabel, ApplicationLabels, useShowsApplications } from "./ApplicationLabel.tsx";
import { useView } from "../data/view.ts";
import { ListHead, type ListHeadProps } from "./ListHead.tsx";
import { ListNotice, MoreButton, OnlyOwn } from "./ListNotice.tsx";
import { nextSort, orderOf, wordsOf } from "./sort.ts";
import { type RowPlace, useRows } from "./use_rows.tsx";
import { useValueKeys } from "./ValueLinks.tsx";
import { SettledText } from "./SettledText.tsx";

/** A column of a list. */
export interface ListColumn<Row> {
  readonly title: string;
  /** What it shows, for a tooltip of its head. */
  readonly tip?: string;
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
  /** The rest of a cell: beside it in a wide list, below it in a narrow one. */
  readonly aside?: {
    readonly title: string;
    /** Keys of the applications that sent the row: shown where the list has rows of several. */
    applications(row: Row): readonly (string | null)[];
    readonly cell?: (row: Row) => ReactNode;
  };
}

/** Makes the link to the detail of a row. @param label accessible name; default: the text */
type RowLink = (text: ReactNode, label?: string) => ReactNode;

/**
 * A list of a view: head, table, and what is shown instead of rows. It scrolls in its own frame. Rows are navigated by
 * keyboard. Rows in sight are rendered.
 */
interface RowListProps<Row> extends Omit<ListHeadProps, "what"> {
  /** The rows: "envelopes"; default: the view's id. */
  readonly what?: string;
  /** The rows in notices, if filters limit them: "open errors"; default: `what`. */
  readonly whatIsMissing?: string;
  /** The rows, if they are not single ones: "groups"; default: `what`. */
  readonly whatIsCounted?: string;
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
  /** The rows sum up others, of which `list.more` reads more. */
  readonly isSummary?: boolean;
  /** Between head and table. */
  readonly above?: ReactNode;
  /** How an application sends the first row. */
  readonly hint?: ReactNode;
  /** Shown if there are no rows at all. */
  readonly empty: ReactNode;
}

export function RowList<Row>(props: RowListProps<Row>) {
  const { id } = useView();
  const { what = id, whatIsMissing = what, list, columns, sort, keyOf, hrefOf } = props;
  const { openKey } = props;
  const frame = useRef<HTMLDivElement>(null);
  const { rowCount, render, newCount, showNewest, ...keyboard } = useRows(
    frame,
    list,
    { keyOf, hrefOf, openKey },
  );
  useValueKeys(frame);
  const hasRows = rowCount > 0;
  const noun = (props.whatIsCounted ?? what).replace(/s$/, "");
  const news = formatCount(newCount, `new ${noun}`);
  const total = formatCount(rowCount, noun);
  const { read, next } = wordsOf(sort);
  return (
    <div className="list">
      <ListHead {...props} what={what} />
      {props.above}
      {hasRows && <OnlyOwn />}
      <div
        ref={frame}
        className="rows"
        {...ROW_CLICKS}
        {...keyboard}
      >
        {/* Rows that arrived while the list is scrolled down. */}
        <p className="new-rows">
          {newCount > 0 && <button type="button" onClick={showNewest}>Show {news}</button>}
        </p>
        <SettledText text={newCount > 0 ? `${news}, not shown yet` : ""} />
        <ListNotice list={list} what={whatIsMissing} hint={props.hint}>{props.empty}</ListNotice>
        {hasRows && (
          <ApplicationLabels>
            <table aria-rowcount={rowCount + 1}>
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
          </ApplicationLabels>
        )}
        <MoreButton text={`${next} ${what}`} more={list.more} />
      </div>
      {hasRows && <ListFoot text={list.more && !props.isSummary ? `${read} ${total}` : total} />}
    </div>
  );
}

/** The list's keys, for people who see them, and how many rows are read: "newest 200 traces". */
function ListFoot({ text }: { text: string }) {
  return (
    <footer className="list-foot facts small quiet" aria-hidden="true">
      <span>
        <kbd>J</kbd>
        <kbd>K</kbd> move
      </span>
      <span>
        <kbd>Enter</kbd> open
      </span>
      {!isRelay && (
        <span>
          <kbd>/</kbd> search
        </span>
      )}
      <span className="end">{text}</span>
    </footer>
  );
}

/** Classes of a column's cells. */
const classOf = ({ numeric, isWide, aside }: ListColumn<never>) =>
  `${numeric ? "n" : ""} ${isWide ? "wide" : ""} ${aside ? "lead" : ""}`.trim() || undefined;

function ColumnHead<Row>({ column, sort }: {
  column: ListColumn<Row>;
  sort: ListSort | undefined;
}) {
  const { title, tip, width, by, aside } = column;
  const showsApplications = useShowsApplications();
  return (
    <th
      scope="col"
      className={classOf(column)}
      title={tip}
      style={width === undefined ? {} : { "--width": `${width}rem` } as CSSProperties}
      aria-sort={by && orderOf(sort, by)}
    >
      {by === undefined ? title : (
        <button
          type="button"
          className="bare"
          onClick={() => changeParams({ sort: nextSort(sort, by) })}
        >
          {title}
        </button>
      )}
      {aside && (showsApplications || aside.cell) && <small className="wide">{aside.title}</small>}
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
      className="row-link bare"
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
        <td key={column.title} className={classOf(column)}>
          {column.aside
            ? (
              <>
                <span className="one-line">{column.cell(row, link)}</span>
                <small className="one-line">
                  <ApplicationLabel of={column.aside.applications(row)} />{" "}
                  {column.aside.cell?.(row)}
                </small>
              </>
            )
            : column.cell(row, link)}
        </td>
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
