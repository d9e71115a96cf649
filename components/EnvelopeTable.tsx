import type { ReactNode } from "react";

export interface Column {
  readonly title: string;
  /** Aligns numbers at the right. */
  readonly numeric?: boolean;
}

/**
 * A dense table of envelopes in a scrolling frame. The frame can be focused because it scrolls (WCAG 2.1.1).
 *
 * @param props.name class of the table
 * @param props.caption accessible name of table and frame
 * @param props.empty shown below the header while there are no rows
 * @param props.children `<tr>` elements with one cell for each column
 */
export function EnvelopeTable({ name, caption, columns, empty, children }: {
  name: string;
  caption: string;
  columns: readonly Column[];
  empty?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="frame" role="region" aria-label={caption} tabIndex={0}>
      <table className={`data-table ${name}`}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, numeric }) => (
              <th key={title} scope="col" className={numeric ? "n" : undefined}>{title}</th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
      {empty && <div className="empty">{empty}</div>}
    </div>
  );
}
