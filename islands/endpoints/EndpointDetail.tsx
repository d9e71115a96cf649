import { formatDuration, formatNumber } from "../../components/format.ts";
import { Marked, OutcomeMark } from "../../components/OutcomeMark.tsx";
import { Panel } from "../../components/Panel.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import type { EndpointRow } from "../../monitoring/models/trace/trace_row.ts";
import type {
  EndpointContent,
  EndpointQuery,
  EndpointRun,
  Side,
} from "../../monitoring/models/trace/endpoint_content.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { isNarrowed, queryOf } from "../data/filters.ts";
import { linkTo, spanHref, useFragment } from "../data/fragment.ts";
import { type ConsoleList, useList } from "../data/lists.ts";
import { useLiveRead } from "../data/use_read.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import { Unread } from "../kit/Blank.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { SetFilters } from "../kit/FilterControls.tsx";
import { endpointPath } from "../kit/endpoint_columns.tsx";
import { describePosition, stepTo } from "../kit/Steps.tsx";
import { type Column, Table } from "../kit/Table.tsx";
import { endpointKey, figuresOf } from "./EndpointList.tsx";
import { RequestChart } from "./RequestChart.tsx";

/** What an application did under one name. @param props.list the list, for the way to the next one */
export function EndpointDetail({ id: { application, name, op }, list }: {
  id: Pick<EndpointRow, "application" | "name" | "op">;
  list: ConsoleList<EndpointRow>;
}) {
  const { path, params, to } = useFragment();
  const runs = { application, endpoint: name, op: op ?? undefined };
  const filters = queryOf(params, "endpoints");
  const reading = useLiveRead("endpoint", { ...filters, id: application, name, op: runs.op });
  const content = reading.value;
  const isFiltered = isNarrowed(params, "endpoints", reading.state === "ready" && !content);
  const index = list.rows.findIndex((row) => endpointKey(row) === JSON.stringify(path));
  const hrefOf = (row: EndpointRow | undefined) => row && to(endpointPath(row));
  return (
    <DetailView
      className="endpoint"
      back="All endpoints"
      title={displayName({ name, op })}
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
          <a href={linkTo("traces", [], runs)}>Its traces</a>
          {(["errors", "logs"] as const).map((list) => (
            <a key={list} href={linkTo(list, [], runs)}>Their {list}</a>
          ))}
          <CopyMenu what="endpoint" json={content} />
        </>
      }
    >
      {isFiltered && <SetFilters of="endpoints" />}
      {content
        ? <Content content={content} />
        : <Unread what="endpoint" of={reading} isFiltered={isFiltered} />}
    </DetailView>
  );
}

/** Groups of errors that are shown: each is read by itself. */
const MAX_ERRORS = 5;

function Content({ content }: { content: EndpointContent }) {
  const { row, runs, slowest, errors } = content;
  const all = row.count + (row.before?.count ?? 0);
  const bound = runs.length < all && `newest ${formatNumber(runs.length)} of ${formatNumber(all)}`;
  return (
    <div className="grid">
      <Table
        caption="Figures"
        className="data-table"
        columns={figuresOf([row]).map(({ by: _, ...column }) => column)}
        rows={[row]}
        keyOf={endpointKey}
      />
      <Panel
        id="each-run"
        title="Each run"
        links={
          <small className="facts">
            {bound && <span>{bound}</span>}
            <span>line: median{row.before && ", of others pale"}; cross: failed</span>
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
            title="Errors of its runs"
            links={errors.length > MAX_ERRORS && <small>the {MAX_ERRORS} groups with most</small>}
          >
            {errors.slice(0, MAX_ERRORS).map((error) => (
              <ErrorGroup key={error.group} {...error} application={row.application} />
            ))}
          </Panel>
        )}
      </div>
    </div>
  );
}

function RunPanel({ id, title, runs }: {
  id: string;
  title: string;
  runs: readonly EndpointRun[];
}) {
  return (
    <Panel id={id} title={title}>
      {runs.map((run) => (
        <p key={`${run.trace_id} ${run.span_id}`} className="line">
          <a href={spanHref(run)}>
            <Timestamp at={run.at} precision="ms" />
          </a>
          <span className={run.failed ? "refused end" : "end"}>
            {run.failed && <Marked kind="refused">failed</Marked>} <b>{formatDuration(run.ms)}</b>
          </span>
        </p>
      ))}
    </Panel>
  );
}

function ErrorGroup({ group, count, application }: {
  group: string;
  count: number;
  application: string;
}) {
  const [row] = useList("errors", { group, application }).rows;
  return (
    <p className="line">
      <a className="one-line" href={linkTo("errors", [group], { application })}>
        {row ? `${row.type}: ${row.value}` : group}
      </a>
      <span className="end">{formatNumber(count)}×</span>
    </p>
  );
}

function Queries({ content: { queries, queried, queried_ms, row } }: { content: EndpointContent }) {
  const sides = row.before
    ? `${queried.before} of others and ${queried.since} of the newest release`
    : `${queried.since}`;
  return (
    <Panel
      id="endpoint-queries"
      title="Its queries"
      links={<small>in the newest runs, {sides}</small>}
    >
      {!queries?.length
        ? (
          <p className="empty">
            {queries ? "No spans of databases and caches." : "Too many spans to count them."}
          </p>
        )
        : (
          <Table<EndpointQuery>
            caption="Its queries, those that took most time first"
            columns={[
              {
                title: "Statement",
                tip:
                  "Of the spans below a run. A cancelled request may not send what is between: then its queries are in none",
                isHead: true,
                cell: ({ statement }) => <code>{statement}</code>,
              },
              ...row.before ? [perRun("before", "Others", queried)] : [],
              perRun("since", row.before ? "Newest" : "Each run", queried),
              {
                title: "In all",
                tip:
                  "Sum of their durations in these runs, and its share of the runs' own. Several may run at the same time",
                width: 6,
                numeric: true,
                className: "in-all",
                cell: ({ total_ms }) => (
                  <>
                    {formatDuration(total_ms)}
                    {queried_ms > 0 && (
                      <small className="quiet">{Math.round(total_ms / queried_ms * 100)} %</small>
                    )}
                  </>
                ),
              },
            ]}
            rows={queries}
            keyOf={({ statement }) => statement}
          />
        )}
    </Panel>
  );
}

const perRun = (
  side: Side,
  title: string,
  queried: EndpointContent["queried"],
): Column<EndpointQuery> => ({
  title,
  tip:
    `How often it ran in a run that has it: the median by nearest rank, of fewer than ${MIN_SAMPLES} runs the fewest` +
    " and the most. Marked: repeated, and at least twice as often as in other releases",
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
});
