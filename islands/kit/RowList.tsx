import { formatCount } from "../../components/format.ts";
import { type ReactNode, useRef } from "react";
import type { ListName, ListSort } from "../../monitoring/models/list_query.ts";
import { OF_DETAIL, useFragment } from "../data/fragment.ts";
import type { ConsoleList } from "../data/lists.ts";
import { isRelay } from "../data/read.ts";
import { ApplicationLabels } from "./ApplicationLabel.tsx";
import { useView } from "../data/view.ts";
import { ListHead, type ListHeadProps } from "./ListHead.tsx";
import { ClocksOff, ListNotice, MoreButton, OnlyOwn } from "./ListNotice.tsx";
import { type Column, TableFrame, TableRow } from "./Table.tsx";
import { useRows } from "./use_rows.tsx";
import { wordsOf } from "./sort.ts";
import { useValueKeys, ValueMenu } from "./ValueLinks.tsx";
import { SettledText } from "./SettledText.tsx";

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
  readonly columns: readonly Column<Row>[];
  /** Accessible name of the table. */
  readonly caption: string;
  readonly sort?: ListSort | undefined;
  /** The address of a row's detail; default: its key in the view. */
  readonly hrefOf?: (row: Row) => string;
  readonly openKey?: string | undefined;
  /** The rows sum up others, of which `list.more` reads more. */
  readonly isSummary?: boolean;
  /** Between head and table. */
  readonly above?: ReactNode;
  /** After the rows, in the same frame. */
  readonly below?: ReactNode;
  /** How an application sends the first row. */
  readonly hint?: ReactNode;
  /** Shown if there are no rows at all: a paragraph. */
  readonly empty: ReactNode;
}

export function RowList<Row>(props: RowListProps<Row>) {
  const { id } = useView();
  const { to } = useFragment();
  const { what = id, whatIsMissing = what, list, columns, sort, openKey } = props;
  const { hrefOf = (row: Row) => to([list.keyOf(row)], OF_DETAIL) } = props;
  const frame = useRef<HTMLDivElement>(null);
  const { rowCount, render, newCount, showNewest, ...keyboard } = useRows(
    frame,
    list,
    { hrefOf, openKey },
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
      <ClocksOff of={props.of ?? id as ListName} />
      <div
        ref={frame}
        className="rows"
        {...keyboard}
      >
        {/* Rows that arrived while the list is scrolled down. */}
        <p className="new-rows">
          {newCount > 0 && <button type="button" onClick={showNewest}>Show {news}</button>}
        </p>
        <SettledText text={newCount > 0 ? `${news}, not shown yet` : ""} />
        <ListNotice
          list={list}
          what={whatIsMissing}
          of={props.of}
          hint={props.hint}
        >
          {props.empty}
        </ListNotice>
        {hasRows && (
          <ApplicationLabels>
            <TableFrame
              caption={props.caption}
              columns={columns}
              sort={sort}
              rowCount={rowCount + 1}
            >
              {render((place, row) => (
                <TableRow
                  row={row}
                  columns={columns as readonly Column<unknown>[]}
                  href={hrefOf(row)}
                  {...place}
                />
              ))}
            </TableFrame>
          </ApplicationLabels>
        )}
        <MoreButton text={`${next} ${what}`} more={list.more} />
        {props.below}
      </div>
      <ValueMenu />
      {hasRows && <ListFoot text={list.more && !props.isSummary ? `${read} ${total}` : total} />}
    </div>
  );
}

/** The list's keys, for people who see them, and how many rows are read: "newest 200 traces". */
function ListFoot({ text }: { text: string }) {
  return (
    <footer className="list-foot entry facts small quiet" aria-hidden="true">
      <span>
        <kbd>j</kbd>
        <kbd>k</kbd> move
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
