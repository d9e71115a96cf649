import type { ReactNode } from "react";

export interface Column {
  readonly title: string;
  /** Numbers stand at the right, so that their digits line up. */
  readonly numeric?: boolean;
}

/**
 * A dense table in a frame of its own height, so that new rows move nothing else on the page.
 *
 * The frame takes the keyboard's focus because it scrolls (WCAG 2.1.1).
 *
 * @param props.caption what the rows are, for those who do not see the heading above
 * @param props.empty said in place of rows while there are none
 * @param props.children `<tr>` elements with one cell for each column
 */
export function Ledger({ name, caption, columns, empty, children }: {
  name: string;
  caption: string;
  columns: readonly Column[];
  empty?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="frame" role="region" aria-label={caption} tabIndex={0}>
      <table className={`ledger ${name}`}>
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
