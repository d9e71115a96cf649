import type { ReactNode } from "react";
import { formatCount, formatNumber } from "../../components/format.ts";
import { shapesOf } from "../../monitoring/models/error/error_group.ts";
import { commonText } from "../../monitoring/models/error/group_title.ts";
import { quoted } from "../../monitoring/models/query/query.ts";
import { wordsOf } from "../../monitoring/models/query/words.ts";
import type { LogRow as Log } from "../../monitoring/models/log_row.ts";
import { LOG_LEVELS, severityOf } from "../../monitoring/protocol/log_levels.ts";
import type { ConsoleList } from "../data/lists.ts";
import type { ListHeadProps } from "../kit/ListHead.tsx";
import { RowList } from "../kit/RowList.tsx";
import { type Column, timeColumn } from "../kit/Table.tsx";
import { useFragment } from "../data/fragment.ts";
import { Level } from "./Level.tsx";
import { errorsAsText } from "./log_columns.tsx";

/** Logs with the same level whose messages differ only in values, such as numbers and ids. */
interface Pattern {
  readonly key: string;
  readonly count: number;
  readonly newest: Log;
  readonly applications: readonly string[];
  /** The search that all of them match; empty: they have no word in common. */
  readonly search: string;
  /** Of several, the message with … where they differ. */
  readonly text: string;
}

/** The logs that are read, by their patterns: the most frequent first. A row leads to the logs with its words, else to its newest. */
export function LogPatterns({ list, above, ...head }: ListHeadProps & {
  list: ConsoleList<Log>;
  above: ReactNode;
}) {
  const { to, params } = useFragment();
  const rows = patternsOf(list.rows);
  return (
    <RowList
      {...head}
      whatIsCounted="patterns"
      list={{ ...list, rows, keyOf: ({ key }) => key }}
      columns={COLUMNS}
      caption="Patterns of logs, the most frequent first"
      hrefOf={(row) =>
        row.search === ""
          ? to([`${row.newest.envelope}`, `${row.newest.index}`], { as: undefined })
          : to([], { as: undefined, ...filtersOf(row, params.get("q")) })}
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
      empty="No logs received."
    />
  );
}

/** The filters of a pattern's logs. @param q the search that they match, too */
export function filtersOf({ newest: { level }, search }: Pattern, q: string | null) {
  const above = LOG_LEVELS[severityOf(level) + 1];
  const terms = [q, search, above && `-level:${above}`];
  return { level, q: terms.filter(Boolean).join(" ") };
}

export function patternsOf(logs: readonly Log[]): Pattern[] {
  const groups = Map.groupBy(
    logs,
    ({ level, body }) => `${level} ${shapesOf(errorsAsText(body)).join("\0")}`,
  );
  return [...groups].map(([key, all]) => {
    const bodies = [...new Set(all.map(({ body }) => body))];
    const texts = bodies.map((body) => errorsAsText(body));
    const text = texts.length === 1 ? texts[0]! : commonText(texts);
    return {
      key,
      count: all.length,
      newest: all[0]!,
      applications: [...new Set(all.map(({ application }) => application))],
      search: searchOf(text, bodies),
      text,
    };
  }).sort((a, b) => b.count - a.count);
}

/** Characters of a text that is searched, and texts. */
const MAX_SEARCHED = 200;
const MAX_TEXTS = 4;

/** One message as a whole; of several the parts of the pattern whose words all of them have. */
function searchOf(pattern: string, bodies: readonly string[]): string {
  const [body = ""] = bodies;
  if (bodies.length === 1 && body.length <= MAX_SEARCHED) return `message:${quoted(body)}`;
  const words = bodies.map(wordsOf);
  return pattern.split("…").map((part) =>
    part.length > MAX_SEARCHED ? part.slice(0, MAX_SEARCHED).replace(/\s\S*$/, "") : part.trim()
  )
    .filter((part) => wordsOf(part) !== " " && words.every((all) => all.includes(wordsOf(part))))
    .slice(0, MAX_TEXTS).map(quoted).join(" ");
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
    tip:
      "… where the messages differ, such as in numbers and ids. A row leads to all logs with its words",
    cell: ({ text }, link) => link(text || "(empty)"),
    aside: { title: "Applications", applications: ({ applications }) => applications },
  },
  timeColumn("Last seen", ({ newest }) => newest.at, { isWide: true }),
];
