import type { CSSProperties, ReactNode } from "react";
import type { IconName } from "../../components/Icon.tsx";
import { Panel } from "../../components/Panel.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import type { ConsoleList } from "../data/lists.ts";
import { useInboxState } from "../data/inbox_state.ts";

/** Rows of each list; the views have the others. */
export const ROWS = 6;
/** A column of a highlight. The first one has the row's link and the room that the others leave. */
export interface HighlightColumn<Row> {
  readonly title: string;
  /** Definition of its figures. */
  readonly tip?: string;
  /** Width in rem; undefined: of the first column. */
  readonly width?: number;
  readonly numeric?: boolean;
  /** Left out where there is little room, as on phones; `extra`: already where there is not much. */
  readonly room?: "wide" | "extra";
  cell(row: Row): ReactNode;
}

/** The first rows of a list in a panel, or why there are none. */
export function Highlight<Row>({ id, title, icon, all, list, empty, keyOf, columns }: {
  id: string;
  title: string;
  icon: IconName;
  /** Link to the whole list. */
  all: { readonly text: string; readonly href: string };
  list: ConsoleList<Row>;
  empty: string;
  keyOf: (row: Row) => string | number;
  columns: readonly HighlightColumn<Row>[];
}) {
  const { state } = useInboxState();
  const isEmpty = list.state === "ready" && state === "live";
  return (
    <Panel id={id} title={title} icon={icon} isUnrecorded links={<a href={all.href}>{all.text}</a>}>
      {list.state === "failed"
        // Repeated: an inbox that does not answer is reported above, too.
        ? <ReadFailure message={list.error} retry={list.retry} isRepeated />
        : list.rows.length === 0
        // That it is loading is stated once, above.
        ? <p className="empty">{isEmpty && empty}</p>
        : (
          <table className="highlight">
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column.title} scope="col" {...cellOf(column)}>{column.title}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {list.rows.slice(0, ROWS).map((row) => (
                <tr key={keyOf(row)}>
                  {columns.map((column) => (
                    <td key={column.title} className={cellOf(column).className}>
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
    </Panel>
  );
}

const cellOf = ({ tip, width, numeric, room }: HighlightColumn<never>) => ({
  title: tip,
  className: `one-line ${numeric ? "n" : ""} ${room ?? ""}`.trim(),
  style: width === undefined ? undefined : { "--width": `${width}rem` } as CSSProperties,
});
