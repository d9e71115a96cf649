import { memo } from "react";
import type { ErrorGroupRow } from "../../monitoring/models/rows.ts";
import type { Column } from "../../components/Ledger.tsx";
import { Moment } from "../../components/Moment.tsx";
import { Level } from "./Level.tsx";

export const errorColumns: readonly Column[] = [
  { title: "Error" },
  { title: "Level" },
  { title: "Count", numeric: true },
  { title: "First seen" },
  { title: "Last seen" },
];

/** Characters of a message in a list: two lines of a wide screen. */
const MAX_VALUE = 240;

/**
 * One group of errors; rows that did not change are not rendered again.
 *
 * @param props.href where the group is shown
 * @param props.isStop the Tab key stops at this row
 */
export const ErrorRow = memo(function ErrorRow({ row, href, isStop }: {
  row: ErrorGroupRow;
  href: string;
  isStop: boolean;
}) {
  const { group, type, value, where, level, handled, count, first_seen, last_seen } = row;
  return (
    <tr>
      <td className="what">
        {/* The link is the type alone: in a link's text no browser lets a selection begin. */}
        <span id={`error-${group}`}>
          <a
            className="row-link"
            href={href}
            data-row={group}
            tabIndex={isStop ? 0 : -1}
            aria-labelledby={`error-${group}`}
          >
            {type}
          </a>{" "}
          {value.slice(0, MAX_VALUE).toWellFormed()}
        </span>
        <small>{where ?? "no place was told"}</small>
      </td>
      <td className="lv">
        <Level level={level} handled={handled} />
      </td>
      <td className="n">
        {count.toLocaleString("en")}
        ×
      </td>
      <td className="first">
        <Moment at={first_seen} />
      </td>
      <td className="last">
        <Moment at={last_seen} />
      </td>
    </tr>
  );
});
