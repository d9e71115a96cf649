import { type ReactNode, useMemo } from "react";
import { breakable } from "../../components/breakable.tsx";
import { formatNumber } from "../../components/format.ts";
import { Marked } from "../../components/OutcomeMark.tsx";
import type { ListSort } from "../../monitoring/models/list_query.ts";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import type { EndpointRow } from "../../monitoring/models/trace/trace_row.ts";
import {
  changeOf,
  hasNewFailures,
  isSlower,
  SLOWER,
  SLOWER_MS,
} from "../../monitoring/models/trace/endpoints.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { useFragment } from "../data/fragment.ts";
import { ListHistogram } from "../charts/ListHistogram.tsx";
import type { ConsoleQuery } from "../data/inbox.ts";
import type { ConsoleList } from "../data/lists.ts";
import { ENDPOINT_TIP, endpointColumns, endpointPath } from "../kit/endpoint_columns.tsx";
import { RowList } from "../kit/RowList.tsx";
import type { Column } from "../kit/Table.tsx";

export const endpointKey = (row: Parameters<typeof endpointPath>[0]) =>
  JSON.stringify(endpointPath(row));

/** What the applications do, by name. @param props.openKey of the endpoint that is open */
export function EndpointList({ list, query, sort, openKey, actions }: {
  list: ConsoleList<EndpointRow>;
  query: ConsoleQuery;
  sort: ListSort;
  openKey: string | undefined;
  actions: ReactNode;
}) {
  const { to, params } = useFragment();
  const columns = useMemo(() => [NAME, ...figuresOf(list.rows)], [list.rows]);
  return (
    <RowList
      of="endpoints"
      list={{ ...list, keyOf: endpointKey }}
      columns={columns}
      caption={sort === "-duration" ? "Endpoints, slowest first" : "Endpoints"}
      sort={sort}
      hrefOf={(row) => to(endpointPath(row))}
      openKey={openKey}
      actions={actions}
      above={list.rows.length > 0 && <ListHistogram of="endpoints" query={query} />}
      below={list.rows.length > 0 && (
        <p className="note pad">
          Of the newest 10,000 requests, page loads, navigations and jobs with an end
          {params.has("q") &&
            ", in the traces that the search finds: other names have a part of theirs"}.
        </p>
      )}
      empty={
        <>
          <b>No requests or jobs received.</b>{" "}
          They are spans that are the first of a trace, a page or a process.
        </>
      }
    />
  );
}

const NAME: Column<EndpointRow> = {
  title: "Endpoint",
  tip: ENDPOINT_TIP,
  cell: (row, link) => link(breakable(displayName(row))),
  aside: { title: "Application", applications: ({ application }) => [application] },
};

const CHANGE_TIP =
  `New failures: runs of the newest release failed, but none of at least ${MIN_SAMPLES} of others.\nSlower: the` +
  ` median in the newest release is at least ${SLOWER} times, and ${SLOWER_MS} ms above, that of other releases,` +
  ` each of at least ${MIN_SAMPLES} runs`;

const MINUTES = [[1, "min"], [60, "h"], [24 * 60, "d"]] as const;

/** "14/min", "0.3/h". @param rate a minute */
function rateText(rate: number): string {
  const [minutes, unit] = MINUTES.find(([minutes]) => rate * minutes >= 1) ?? MINUTES[2];
  const shown = rate * minutes;
  return `${shown >= 10 ? formatNumber(Math.round(shown)) : shown.toFixed(1)}/${unit}`;
}

/** The columns of figures. @param rows all of the table */
export function figuresOf(rows: readonly EndpointRow[]): readonly Column<EndpointRow>[] {
  const { dots, count, others, duration } = endpointColumns(rows);
  return [
    { ...count, width: 9.75, by: "count" },
    {
      title: "Rate",
      tip:
        "Runs by time, of all releases, in the chosen time, else from the first to the last run of the application," +
        " of at least a minute",
      width: 5,
      numeric: true,
      isWide: true,
      className: "extra",
      cell: ({ rate }) => rateText(rate),
    },
    { ...dots, width: 9.5 },
    { ...others, width: 8.75, className: "extra" },
    { ...duration, width: 10, by: "duration" },
    {
      title: "Change",
      tip: CHANGE_TIP,
      width: 8,
      isWide: true,
      by: "change",
      cell: (row) => {
        const change = changeOf(row);
        if (row.before === null) return <span className="quiet">one release</span>;
        const [fails, slower] = [hasNewFailures(row), isSlower(row)];
        if (!fails && change === null) {
          return <span className="quiet">under {MIN_SAMPLES} runs</span>;
        }
        if (!fails && !slower) return <span className="quiet">not slower</span>;
        return (
          <>
            {fails && <Marked as="b" kind="refused">new failures</Marked>}{" "}
            {slower && <Marked as="b" kind="waits">{change!.toFixed(1)}× slower</Marked>}
          </>
        );
      },
    },
  ];
}
