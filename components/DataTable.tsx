import type { ReactNode } from "react";

export interface Column {
  readonly title: string;
  /** Aligns numbers at the right. */
  readonly numeric?: boolean;
  /** Makes the title a button that sorts by this column. `order`: the current one. */
  readonly sort?: { readonly order: "ascending" | "descending" | "none"; toggle(): void };
}

export interface DataTableProps {
  /** Classes of the table. `data-table`: dense rows, which take two lines on phones. */
  readonly className: string;
  /** Accessible name. */
  readonly caption: string;
  readonly columns: readonly Column[];
  /** What is visible; the others are for screen readers only. Default: the headers. */
  readonly visible?: "headers" | "caption" | "none";
  /** All rows, if not all of them are rendered; they have an `aria-rowindex`. */
  readonly rowCount?: number;
  /** `<tr>` elements with one cell for each column. */
  readonly children?: ReactNode;
}

/** A table with column headers. */
export function DataTable(
  { className, caption, columns, visible = "headers", rowCount, children }: DataTableProps,
) {
  return (
    <table className={className} aria-rowcount={rowCount === undefined ? undefined : rowCount + 1}>
      <caption className={visible === "caption" ? undefined : "vh"}>{caption}</caption>
      <thead className={visible === "headers" ? undefined : "vh"}>
        <tr aria-rowindex={rowCount === undefined ? undefined : 1}>
          {columns.map(({ title, numeric, sort }) => (
            <th
              key={title}
              scope="col"
              className={numeric ? "n" : undefined}
              aria-sort={sort?.order}
            >
              {sort ? <button type="button" onClick={sort.toggle}>{title}</button> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/**
 * A dense {@linkcode DataTable} in a scrolling frame. The frame can be focused because it scrolls (WCAG 2.1.1).
 *
 * @param props.className further class of the table
 * @param props.empty shown below the header while there are no rows
 */
export function ScrollingTable({ className, empty, ...props }: DataTableProps & {
  readonly empty?: ReactNode;
}) {
  return (
    <div className="frame" role="region" aria-label={props.caption} tabIndex={0}>
      <DataTable className={`data-table ${className}`} {...props} />
      {empty && <div className="empty">{empty}</div>}
    </div>
  );
}
