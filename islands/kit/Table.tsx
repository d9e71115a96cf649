import { type CSSProperties, memo, type MouseEvent, type ReactNode, useCallback } from "react";
import type { ListSort, SortColumn } from "../../monitoring/models/list_query.ts";
import { formatNumber } from "../../components/format.ts";
import { TimeAgo } from "../../components/Timestamp.tsx";
import { changeParams } from "../data/fragment.ts";
import { ApplicationLabel, useShowsApplications } from "./ApplicationLabel.tsx";
import { Definition, useDefinition } from "./Definition.tsx";
import { nextSort, orderOf } from "./sort.ts";
import type { RowPlace } from "./use_rows.tsx";

export interface Column<Row> {
  readonly title: string;
  /** Instead of the title. */
  readonly head?: ReactNode;
  /** What it shows: the definition of its head. */
  readonly tip?: string;
  /** Width in rem; undefined: the rest of the table. */
  readonly width?: number;
  readonly numeric?: boolean;
  /** Left out where the list has less than 40rem: on phones, and beside a detail on small screens. */
  readonly isWide?: boolean;
  /** Its cells are the heads of the rows. */
  readonly isHead?: boolean;
  readonly className?: string;
  readonly by?: SortColumn;
  /** The content of a row's cell; with a key, if it has state. One of the cells has the row's link. */
  cell(row: Row, link: RowLink): ReactNode;
  /** The rest of a cell: beside it in a wide list, below it in a narrow one. */
  readonly aside?: {
    readonly title: string;
    /** Keys of the applications that sent the row: shown where the list has rows of several. */
    applications(row: Row): readonly (string | null)[];
    readonly cell?: (row: Row) => ReactNode;
  };
}

/** A column of whole numbers; null: not known. @param rest what else it is */
export const numberColumn = <Row,>(
  title: string,
  value: (row: Row) => number | null,
  rest: Partial<Column<Row>> = {},
): Column<Row> => ({
  ...{ title, width: 6, numeric: true, ...rest },
  cell: (row) => {
    const number = value(row);
    return number === null ? "–" : formatNumber(number);
  },
});

const BY_SENDER =
  "By its sender’s clock, which may be ahead or behind; of a time that is not valid," +
  " when it was received";

/** A column of times. @param rest what else it is */
export const timeColumn = <Row,>(
  title: string,
  at: (row: Row) => number,
  rest: Partial<Column<Row>> = {},
): Column<Row> => ({
  ...{ title, width: 6.5, tip: BY_SENDER, ...rest },
  cell: (row) => <TimeAgo at={at(row)} />,
});

/** Makes the link to the detail of a row. @param label accessible name; default: the text */
type RowLink = (text: ReactNode, label?: string) => ReactNode;

interface TableProps<Row> {
  readonly caption: string;
  /** Default: `data-table`, dense rows. */
  readonly className?: string;
  /** The same array in each render: else all rows are rendered again. */
  readonly columns: readonly Column<Row>[];
  /** The heads are for screen readers only. */
  readonly hidesHeads?: boolean;
  readonly sort?: ListSort | undefined;
}

/** A table of all of its rows; {@linkcode RowList} has those in sight. @param props.hrefOf the address of a row's detail */
export function Table<Row>({ rows, keyOf, hrefOf, openKey, ...props }: TableProps<Row> & {
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  openKey?: string | undefined;
  hrefOf?: (row: Row) => string;
}) {
  return (
    <TableFrame className="data-table" {...props}>
      {rows.map((row) => (
        <TableRow
          key={keyOf(row)}
          row={row}
          columns={props.columns as readonly Column<unknown>[]}
          href={hrefOf?.(row)}
          isOpen={openKey !== undefined && keyOf(row) === openKey}
        />
      ))}
    </TableFrame>
  );
}

/** A table around its rows. @param props.rowCount with the heads, if not all rows are rendered */
export function TableFrame<Row>(
  { caption, className, columns, hidesHeads, sort, rowCount, children }: TableProps<Row> & {
    rowCount?: number;
    children: ReactNode;
  },
) {
  return (
    <table className={className} aria-rowcount={rowCount} {...ROW_CLICKS}>
      <caption className="vh">{caption}</caption>
      <thead className={hidesHeads ? "vh" : undefined}>
        <tr aria-rowindex={rowCount && 1}>
          {columns.map((column) => <ColumnHead key={column.title} column={column} sort={sort} />)}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

const classOf = ({ numeric, isWide, aside, className }: Column<never>) =>
  [numeric && "n", isWide && "wide", aside && "lead", className].filter(Boolean).join(" ") ||
  undefined;

function ColumnHead<Row>({ column, sort }: {
  column: Column<Row>;
  sort: ListSort | undefined;
}) {
  const { title, head = title, tip, width, by, aside } = column;
  const showsApplications = useShowsApplications();
  const { button: { onClick: _, ...described }, definition } = useDefinition(tip);
  return (
    <th
      scope="col"
      className={classOf(column)}
      style={width === undefined ? {} : { "--width": `${width}rem` } as CSSProperties}
      aria-sort={by && orderOf(sort, by)}
    >
      {by === undefined
        ? tip === undefined ? head : <Definition text={tip}>{head}</Definition>
        : (
          <button
            type="button"
            className="bare"
            {...described}
            onClick={() => changeParams({ sort: nextSort(sort, by) })}
          >
            {title}
          </button>
        )}
      {by && definition}
      {aside && (showsApplications || aside.cell) && <small className="wide">{aside.title}</small>}
    </th>
  );
}

/** A row. Memoised: unchanged rows are not rendered again. */
export const TableRow = memo(function TableRow(
  { row, columns, href, rowKey, index, isTabStop = true, isOpen, measure }: Partial<RowPlace> & {
    row: unknown;
    columns: readonly Column<unknown>[];
    href: string | undefined;
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
  const ref = useCallback((tr: HTMLTableRowElement) => measure?.(tr), [measure, rowKey]);
  return (
    // The row of the heads is the first.
    <tr
      ref={ref}
      data-index={index}
      aria-rowindex={index === undefined ? index : index + 2}
    >
      {columns.map((column) => {
        const { title, isHead, aside } = column;
        const Cell = isHead ? "th" : "td";
        return (
          <Cell key={title} scope={isHead ? "row" : undefined} className={classOf(column)}>
            {aside
              ? (
                <>
                  <span className="one-line">{column.cell(row, link)}</span>
                  <small className="one-line">
                    <ApplicationLabel of={aside.applications(row)} /> {aside.cell?.(row)}
                  </small>
                </>
              )
              : column.cell(row, link)}
          </Cell>
        );
      })}
    </tr>
  );
});

/** Mouse navigation of a table: a click anywhere in a row opens it, unless it ends a text selection. */
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
