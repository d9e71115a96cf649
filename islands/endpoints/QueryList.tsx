import type { ReactNode } from "react";
import { formatDuration, formatNumber } from "../../components/format.ts";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { QueryRow } from "../../monitoring/models/trace/trace_row.ts";
import { queryOf } from "../data/filters.ts";
import { linkTo, spanHref, useFragment } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { DurationText } from "../kit/endpoint_columns.tsx";
import { RowList } from "../kit/RowList.tsx";
import { sortParam } from "../kit/sort.ts";
import { type Column, numberColumn } from "../kit/Table.tsx";

/** What the applications ask databases and caches. */
export function QueryList({ actions }: { actions: ReactNode }) {
  const { params } = useFragment();
  const sort = sortParam(params, "queries") ?? "-total_ms";
  const list = useList("queries", { ...queryOf(params, "queries"), sort });
  return (
    <RowList
      what="queries"
      whatIsCounted="statements"
      of="queries"
      list={list}
      columns={COLUMNS}
      caption={sort === "-total_ms" ? "Queries, those that took most time first" : "Queries"}
      sort={sort}
      hrefOf={({ slowest }) => spanHref(slowest)}
      actions={actions}
      below={list.rows.length > 0 && (
        <p className="note pad">
          Of the newest 5,000 spans of databases and caches with an end, without connections
          {params.has("q") && ": those that match, not those of a request that does"}.
        </p>
      )}
      empty={
        <>
          <b>No queries received.</b> They are spans with an operation such as <code>db</code> or
          {" "}
          <code>cache</code>.
        </>
      }
    />
  );
}

const COLUMNS: readonly Column<QueryRow>[] = [
  {
    title: "Statement",
    tip:
      "As sent; where its queries differ in numbers, ids or literals, #. The link is the slowest one in its trace",
    cell: ({ statement }, link) => <code>{link(statement)}</code>,
    aside: { title: "Application", applications: ({ application }) => [application] },
  },
  numberColumn("Queries", ({ count }) => count, {
    tip: "Queries with an end",
    width: 5,
    isWide: true,
    by: "count",
  }),
  {
    title: "In all",
    tip: "Sum of their durations. Several may run at the same time",
    width: 6,
    numeric: true,
    by: "total_ms",
    cell: ({ total_ms }) => formatDuration(total_ms),
  },
  {
    title: "Duration",
    tip:
      "The median by nearest rank, and the 95th percentile; of fewer than 5 the shortest and longest",
    width: 9,
    numeric: true,
    isWide: true,
    by: "duration",
    cell: (row) => <DurationText of={row} />,
  },
  {
    title: "Repeated",
    tip: "How often it ran in the request or job that had most of it, with its trace",
    width: 6.5,
    numeric: true,
    by: "repeated",
    cell: ({ repeated: { count, trace_id } }) => (
      <a href={linkTo("traces", [trace_id])}>×{formatNumber(count)}</a>
    ),
  },
  {
    title: "Slowest",
    width: 6,
    numeric: true,
    isWide: true,
    cell: ({ slowest, longest }) => <a href={spanHref(slowest)}>{formatDuration(longest)}</a>,
  },
  {
    title: "Newest",
    width: 7,
    isWide: true,
    cell: ({ newest }) => (
      <a href={spanHref(newest)}>
        <TimeAgo at={newest.at} />
      </a>
    ),
  },
];
