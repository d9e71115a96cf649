import { Fragment, type ReactNode } from "react";
import { formatCount, formatDuration, formatNumber, shortId } from "../../components/format.ts";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { Panel } from "../../components/Panel.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import type { EndpointRow, Runs } from "../../monitoring/models/trace/trace_row.ts";
import type {
  EndpointContent,
  EndpointQuery,
  EndpointRun,
  Side,
} from "../../monitoring/models/trace/endpoint_content.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { durationOf, ENDPOINT_TIP, endpointPath, RUNS_TIP } from "../charts/RunDots.tsx";
import { queryOf } from "../data/filters.ts";
import { fragmentTo, linkTo, useFragment, useIsVisible } from "../data/fragment.ts";
import { type ConsoleList, useList } from "../data/lists.ts";
import { LIVE } from "../data/queries.ts";
import { read } from "../data/read.ts";
import { useRead } from "../data/use_read.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import { Unread } from "../kit/Blank.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { describePosition, stepTo } from "../kit/Steps.tsx";
import { type Column, Table } from "../kit/Table.tsx";
import { Change, endpointKey } from "./EndpointList.tsx";
import { placeHref } from "./QueryList.tsx";
import { RequestChart } from "./RequestChart.tsx";

/** What an application did under one name. @param props.list the list, for the way to the next one */
export function EndpointDetail({ id, list }: {
  id: Pick<EndpointRow, "application" | "name" | "op">;
  list: ConsoleList<EndpointRow>;
}) {
  const { params } = useFragment();
  const isVisible = useIsVisible();
  const { application, name, op } = id;
  const query = {
    ...queryOf(params, "endpoints"),
    ...{ id: application, name, op: op ?? undefined },
  };
  const reading = useRead([LIVE, "endpoint", query], isVisible && (() => read("endpoint", query)));
  const content = reading.value;
  const shared = Object.fromEntries(params);
  const index = list.rows.findIndex((row) => endpointKey(row) === JSON.stringify(id));
  const hrefOf = (row: EndpointRow | undefined) =>
    row && fragmentTo("endpoints", endpointPath(row), shared);
  return (
    <DetailView
      className="endpoint"
      back="All endpoints"
      backHref={fragmentTo("endpoints", [], shared)}
      title={displayName(id)}
      facts={<SentBy keys={[application]} />}
      steps={index === -1 ? undefined : (
        <nav className="beside" aria-label="Endpoints of the list">
          {stepTo(hrefOf(list.rows[index - 1]), "Previous endpoint")}
          <span>{describePosition(index, list)}</span>
          {stepTo(hrefOf(list.rows[index + 1]), "Next endpoint")}
        </nav>
      )}
      actions={
        <>
          <a href={linkTo("traces", [], { application, name, op: op ?? undefined })}>
            Traces with it
          </a>
          {content && (
            <CopyMenu
              what="endpoint"
              texts={{ "Copy as JSON": () => JSON.stringify(content, null, 2) }}
            />
          )}
        </>
      }
    >
      {content ? <Content content={content} /> : <Unread what="endpoint" of={reading} />}
    </DetailView>
  );
}

function Content({ content }: { content: EndpointContent }) {
  const { row, runs, slowest, errors } = content;
  const { before } = row;
  const all = row.count + (before?.count ?? 0);
  return (
    <div className="grid">
      <Figures row={row} />
      <Panel
        id="each-run"
        title="Each run"
        links={
          <small>
            {runs.length < all && `newest ${formatNumber(runs.length)} of ${formatNumber(all)}; `}
            a dot opens its trace
          </small>
        }
      >
        <RequestChart content={content} />
      </Panel>
      <Queries content={content} />
      <div className="endpoint-runs grid">
        <RunPanel id="slowest-runs" title="Slowest runs" runs={slowest} />
        <RunPanel id="newest-runs" title="Newest runs" runs={runs.slice(0, slowest.length)} />
        {errors.length > 0 && (
          <Panel
            id="endpoint-errors"
            title="Errors"
            links={<small>of level error or fatal, in its runs</small>}
          >
            <ul>
              {errors.slice(0, MAX_ERRORS).map((error) => (
                <ErrorGroup key={error.group} {...error} application={row.application} />
              ))}
            </ul>
            {errors.length > MAX_ERRORS && (
              <p className="quiet">
                {formatCount(errors.length - MAX_ERRORS, "further group")} not listed
              </p>
            )}
          </Panel>
        )}
      </div>
    </div>
  );
}

/** The figures of the newest release, and of others. */
function Figures({ row }: { row: EndpointRow }) {
  const { before } = row;
  const n = ({ count, shortest, longest, p95 }: Runs) =>
    `n ${formatNumber(count)}, ${formatDuration(shortest)} to ${formatDuration(longest)}` +
    (p95 === null ? "" : `, p95 ${formatDuration(p95)}`);
  const durationName = (of: Runs) => of.median === null ? "Duration" : "Median";
  const entries: readonly (readonly [string, string, ReactNode, ReactNode])[] = [
    [
      before ? `${durationName(row)}, newest release` : durationName(row),
      ENDPOINT_TIP,
      durationOf(row),
      n(row),
    ],
    ...before
      ? [
        [`${durationName(before)}, others`, ENDPOINT_TIP, durationOf(before), n(before)] as const,
      ]
      : [],
    ["Change", "", <Change key="" row={row} />, ""],
    [
      "Failed",
      RUNS_TIP,
      <span key="" className={row.failed > 0 ? "refused" : undefined}>
        {row.failed > 0 && <OutcomeMark kind="refused" />}
        {formatNumber(row.failed)} of {formatNumber(row.count)}
      </span>,
      before && `${formatNumber(before.failed)} of ${formatNumber(before.count)} of others`,
    ],
  ];
  return (
    <div className="endpoint-figures">
      <KeyValueList
        entries={entries.map(([name, tip, value, rest]) => ({
          name: <span title={tip}>{name}</span>,
          value: (
            <>
              <b>{value}</b>
              <small className="quiet">{rest}</small>
            </>
          ),
        }))}
      />
    </div>
  );
}

const RUN_COLUMNS: readonly Column<EndpointRun>[] = [
  {
    title: "Time",
    cell: ({ at }, link) => link(<Timestamp at={at} precision="ms" />),
  },
  {
    title: "Trace",
    width: 6,
    cell: ({ trace_id }) => <code>{shortId(trace_id)}</code>,
  },
  {
    title: "Duration",
    width: 8,
    numeric: true,
    cell: ({ ms, failed }) => (
      <>
        {failed && (
          <span className="refused">
            <OutcomeMark kind="refused" />
            <span className="vh">failed</span>
          </span>
        )}
        <b>{formatDuration(ms)}</b>
      </>
    ),
  },
];

function RunPanel({ id, title, runs }: {
  id: string;
  title: string;
  runs: readonly EndpointRun[];
}) {
  return (
    <Panel id={id} title={title}>
      <Table
        caption={title}
        columns={RUN_COLUMNS}
        rows={runs}
        keyOf={({ trace_id, span_id }) => `${trace_id} ${span_id}`}
        hrefOf={placeHref}
      />
    </Panel>
  );
}

/** Groups that are shown: each is read by itself. */
const MAX_ERRORS = 3;

function ErrorGroup({ group, count, application }: {
  group: string;
  count: number;
  application: string;
}) {
  const [row] = useList("errors", { group, application }).rows;
  return (
    <li className="line">
      <a className="one-line" href={linkTo("errors", [group], { application })}>
        {row ? <Fragment>{row.type}: {row.value}</Fragment> : group}
      </a>
      <span className="end">{formatNumber(count)}×</span>
    </li>
  );
}

function Queries({ content: { queries, queried, row } }: { content: EndpointContent }) {
  const isCompared = row.before !== null;
  const sides = isCompared
    ? `${formatNumber(queried.before)} of others, ${
      formatNumber(queried.since)
    } of the newest release`
    : `newest ${formatNumber(queried.since)}`;
  return (
    <Panel
      id="endpoint-queries"
      title="Its queries"
      links={<small>for each run, medians; runs: {sides}</small>}
    >
      {queries === null && <p className="empty">These runs have too many spans to count them.</p>}
      {queries?.length === 0 && (
        <p className="empty">None: these runs have no spans of a database or a cache.</p>
      )}
      {queries !== null && queries.length > 0 && (
        <Table<EndpointQuery>
          caption="Its queries, those that took most time first"
          columns={queryColumns(queried, isCompared)}
          rows={queries}
          keyOf={({ statement }) => statement}
        />
      )}
    </Panel>
  );
}

const PER_RUN_TIP =
  `How often it ran in a run that has it: the median by nearest rank, of fewer than ${MIN_SAMPLES} runs` +
  " the fewest and the most. Marked: repeated, and at least twice as often as in other releases";

const queryColumns = (
  queried: EndpointContent["queried"],
  isCompared: boolean,
): readonly Column<EndpointQuery>[] => [
  { title: "Statement", isHead: true, cell: ({ statement }) => <code>{statement}</code> },
  ...(isCompared ? ["before", "since"] as const : ["since"] as const).map((
    side: Side,
  ): Column<EndpointQuery> => ({
    title: !isCompared ? "Each run" : side === "before" ? "Others" : "Newest",
    tip: PER_RUN_TIP,
    width: 6,
    numeric: true,
    cell: (query) => {
      const of = query[side];
      if (of === null) return <span className="quiet">–</span>;
      const isMore = side === "since" && query.is_more_often;
      return (
        <>
          <span className={isMore ? "waits" : undefined}>
            {isMore && <OutcomeMark kind="waits" />}
            {of.median ?? (of.fewest === of.most ? of.most : `${of.fewest} to ${of.most}`)}
          </span>
          <small className="quiet">in {of.runs} of {queried[side]}</small>
        </>
      );
    },
  })),
  {
    title: "In all",
    tip: "Sum of their durations in these runs. Several may run at the same time",
    width: 6,
    numeric: true,
    className: "in-all",
    cell: ({ total_ms }) => formatDuration(total_ms),
  },
];
