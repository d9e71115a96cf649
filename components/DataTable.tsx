import type { CSSProperties, ReactNode } from "react";

export interface Column {
  readonly title: string;
  /** Aligns numbers at the right. */
  readonly numeric?: boolean;
  /** In rem. Default: what the others leave. */
  readonly width?: number;
}

interface DataTableProps {
  /** Classes of the table. `data-table`: dense rows, which take two lines on phones. */
  readonly className: string;
  /** Accessible name. */
  readonly caption: string;
  readonly columns: readonly Column[];
  /** The headers are for screen readers only. */
  readonly hidesHeaders?: boolean;
  /** `<tr>` elements with one cell for each column. */
  readonly children?: ReactNode;
}

/** A table with column headers. */
export function DataTable({ className, caption, columns, hidesHeaders, children }: DataTableProps) {
  return (
    <table className={className}>
      <caption className="vh">{caption}</caption>
      <thead className={hidesHeaders ? "vh" : undefined}>
        <tr>
          {columns.map(({ title, numeric, width }) => (
            <th
              key={title}
              scope="col"
              className={numeric ? "n" : undefined}
              style={width === undefined ? {} : { "--width": `${width}rem` } as CSSProperties}
            >
              {title}
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
