import { formatDuration, formatNumber } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { ApplicationRow } from "../../monitoring/models/application_rows.ts";
import type { EndpointRow } from "../../monitoring/models/trace/trace_row.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { isSlower } from "../../monitoring/models/trace/endpoints.ts";
import {
  DOTS_TIP,
  durationOf,
  ENDPOINT_TIP,
  endpointPath,
  rangeOf,
  RunDots,
  RUNS_TIP,
} from "../charts/RunDots.tsx";
import { linkTo } from "../data/fragment.ts";
import type { ConsoleList } from "../data/lists.ts";
import { ApplicationTile } from "../kit/ApplicationLabel.tsx";
import { labelsByKey } from "../kit/application_labels.ts";
import type { Column } from "../kit/Table.tsx";
import { Highlight, ROWS } from "./Highlight.tsx";

/** What the applications do, slowest first. */
export function SlowestEndpoints({ list, applications }: {
  list: ConsoleList<EndpointRow>;
  applications: readonly ApplicationRow[];
}) {
  const rows = list.rows.slice(0, ROWS);
  const { low, high } = rangeOf(rows);
  return (
    <Highlight
      id="slowest-endpoints"
      title="Slowest endpoints"
      all={{ text: "All endpoints", href: linkTo("endpoints") }}
      list={list}
      empty="No requests or tasks that have ended match."
      keyOf={({ application, op, name }) => `${application} ${op} ${name}`}
      hrefOf={(row) => linkTo("endpoints", endpointPath(row))}
      columns={columnsOf(low, high, labelsByKey(applications))}
    />
  );
}

/** @param low milliseconds, the left end of the scale of all rows; `high`: its right end */
const columnsOf = (
  low: number,
  high: number,
  names: ReadonlyMap<string, string>,
): readonly Column<EndpointRow>[] => [
  {
    title: "Endpoint",
    tip: ENDPOINT_TIP,
    cell: (row, link) => {
      const [application = "", name] = [names.get(row.application), displayName(row)];
      return (
        <span className="beside" title={`${application}: ${name}`}>
          <ApplicationTile name={application} />
          <span className="vh">{application}:</span>
          <span className="one-line">{link(name)}</span>
        </span>
      );
    },
  },
  {
    title: `${formatDuration(low)} to ${formatDuration(high)}`,
    tip: DOTS_TIP,
    width: 7,
    isWide: true,
    cell: (row) => <RunDots row={row} low={low} high={high} />,
  },
  {
    title: "n",
    tip: RUNS_TIP,
    width: 8,
    numeric: true,
    cell: ({ count, failed, before }) => (
      <>
        {before && <span className="wide">{`${formatNumber(before.count)} → `}</span>}
        {failed > 0 && (
          <span className="refused" title={`${formatNumber(failed)} failed, or with errors`}>
            <OutcomeMark kind="refused" />
            {formatNumber(failed)}
            <span className="vh">failed</span>
            {" of "}
          </span>
        )}
        {formatNumber(count)}
      </>
    ),
  },
  {
    title: "Others",
    tip: "Of other releases than the newest",
    width: 5,
    numeric: true,
    isWide: true,
    cell: ({ before }) => before && <span className="quiet">{durationOf(before)}</span>,
  },
  {
    title: "Duration",
    className: "took",
    tip: ENDPOINT_TIP,
    width: 7,
    numeric: true,
    cell: (row) =>
      isSlower(row)
        ? (
          <b className="waits" title="Slower than other releases">
            <OutcomeMark kind="waits" />
            {durationOf(row)}
          </b>
        )
        : durationOf(row),
  },
];
