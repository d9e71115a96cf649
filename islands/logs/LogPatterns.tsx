import type { ReactNode } from "react";
import { formatCount, formatNumber } from "../../components/format.ts";
import { TimeAgo } from "../../components/Timestamp.tsx";
import { messageShape } from "../../monitoring/models/error/error_group.ts";
import { quoted } from "../../monitoring/models/query/query.ts";
import type { LogRow as Log } from "../../monitoring/models/rows.ts";
import type { ConsoleList } from "../data/lists.ts";
import type { ListHeadProps } from "../kit/ListHead.tsx";
import { RowList } from "../kit/RowList.tsx";
import type { Column } from "../kit/Table.tsx";
import { fragmentTo, useFragment } from "../data/fragment.ts";
import { Level } from "./Level.tsx";
import { errorsAsText } from "./log_columns.tsx";

/** Logs with the same level whose messages differ only in values, such as numbers and ids. */
interface Pattern {
  readonly key: string;
  readonly count: number;
  /** The newest of them. */
  readonly newest: Log;
  /** Keys of the applications that sent them. */
  readonly applications: readonly string[];
  /** A text that all of them have. */
  readonly common: string;
  /** Of several, the message with … in place of values, such as numbers and ids. */
  readonly text: string;
}

/** The logs that are read, by their patterns: the most frequent first. A row leads to its logs. */
export function LogPatterns({ list, above, ...head }: ListHeadProps & {
  list: ConsoleList<Log>;
  above: ReactNode;
}) {
  const { params } = useFragment();
  const rows = patternsOf(list.rows);
  return (
    <RowList
      {...head}
      whatIsCounted="patterns"
      list={{ ...list, rows }}
      columns={COLUMNS}
      caption="Patterns of logs, the most frequent first"
      keyOf={({ key }) => key}
      hrefOf={({ newest, common }) =>
        fragmentTo("logs", [], {
          ...Object.fromEntries(params),
          as: undefined,
          q: common ? quoted(common) : params.get("q") ?? undefined,
          level: newest.level,
        })}
      isSummary
      above={
        <>
          {above}
          {rows.length > 0 && (
            <p className="note">
              {formatCount(rows.length, "pattern")} of the newest{" "}
              {formatCount(list.rows.length, "log")}.
            </p>
          )}
        </>
      }
      empty={<p>No logs received.</p>}
    />
  );
}

export function patternsOf(logs: readonly Log[]): Pattern[] {
  const groups = Map.groupBy(
    logs,
    ({ level, body }) => `${level} ${messageShape(errorsAsText(body))}`,
  );
  return [...groups].map(([key, all]) => {
    const shape = key.slice(key.indexOf(" ") + 1);
    const isSame = all.every(({ body }) => body === all[0]!.body);
    return {
      key,
      count: all.length,
      newest: all[0]!,
      applications: [...new Set(all.map(({ application }) => application))],
      common: commonPart(shape, all),
      text: isSame ? errorsAsText(all[0]!.body) : shape.replace(VALUES, "…"),
    };
  }).sort((a, b) => b.count - a.count);
}

/** Placeholders for values in a shape. */
const VALUES = /""|[@/#]|\b0\b/g;

/** The longest part between the values of a shape that all messages have; empty: there is none. */
function commonPart(shape: string, logs: readonly Log[]): string {
  return shape.split(VALUES).map((part) => part.trim())
    .filter((part) => part.length > 2 && logs.every(({ body }) => body.includes(part)))
    .reduce((longest, part) => part.length > longest.length ? part : longest, "");
}

const COLUMNS: readonly Column<Pattern>[] = [
  { title: "Count", width: 5, numeric: true, cell: ({ count }) => `${formatNumber(count)}×` },
  {
    title: "Level",
    width: 6.5,
    cell: ({ newest: { level } }) => <Level level={level} />,
  },
  {
    title: "Message",
    tip: "In place of values that differ, such as numbers and ids: …",
    cell: ({ text }, link) => link(text || "(empty)"),
    aside: { title: "Applications", applications: ({ applications }) => applications },
  },
  {
    title: "Last seen",
    width: 6.5,
    isWide: true,
    cell: ({ newest }) => <TimeAgo at={newest.at} />,
  },
];
