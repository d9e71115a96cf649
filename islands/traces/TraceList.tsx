import { memo } from "react";
import { CountCell } from "../../components/CountCell.tsx";
import { formatCount, formatFineDuration } from "../../components/format.ts";
import { Id } from "../../components/Id.tsx";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { TRACE_COLUMNS, TRACE_STATUSES } from "../../monitoring/models/rows.ts";
import { ChoiceFilter, ToggleFilter } from "../shared/ChoiceFilter.tsx";
import { newestFirst, type SortableColumn, sortedBy, sortParam } from "../shared/sort_columns.ts";
import { fragmentTo, useFragment } from "../shared/fragment.ts";
import { momentHref } from "../shared/use_recording_href.ts";
import { filterParams, sharedFilters } from "../shared/filters.ts";
import { SourceLabel } from "../shared/SourceLabel.tsx";
import { type ListedTrace, withLiveTraces } from "./live_traces.ts";
import { useLiveSpans } from "./use_live_spans.ts";
import { ListHistogram } from "../charts/ListHistogram.tsx";
import { RowList } from "../shared/RowList.tsx";
import { ListRow, type RowPlace } from "../shared/use_table_rows.tsx";
import { useList, useShowsOwn, useSourceList } from "../data/lists.ts";

/**
 * The list of traces. Includes this page's own traces before their envelopes have arrived.
 *
 * @param props.returnFrom id of the trace that was open before; its row gets the focus
 * @param props.compareWith id of a trace: the rows lead to their comparison with it. `name` in the address: only
 *   those of this name
 */
export function TraceList({ returnFrom, compareWith }: {
  returnFrom: string | undefined;
  compareWith?: string;
}) {
  const { params } = useFragment();
  const q = params.get("q") ?? undefined;
  const filters = sharedFilters(params);
  const sort = sortParam(params, TRACE_COLUMNS);
  const own = {
    status: TRACE_STATUSES.find((status) => status === params.get("status")),
    op: params.get("op") || undefined,
    name: params.get("name") || undefined,
    page: params.get("page") || undefined,
    preflights: params.get("preflights") === "true" || undefined,
  };
  const sources = useSourceList();
  const list = useList("traces", { q, sort, ...own, ...filters });
  const live = useLiveSpans();
  // The filters are applied by the data source, which does not have the live traces.
  const { release, environment, until } = filters;
  const isFiltered = Object.values({ q, sort, release, environment, until, ...own })
    .some((filter) => filter !== undefined);
  const showsOwn = useShowsOwn(filters);
  const liveTraces = showsOwn && !isFiltered ? live.traces : new Map();
  const isCandidate = (row: ListedTrace) =>
    compareWith === undefined ||
    (row.trace_id !== compareWith && (own.name === undefined || own.name === row.name));
  const rows = newestFirst(
    withLiveTraces(list.rows, liveTraces, live.now),
    sort,
    ({ started_at }) => started_at,
  ).filter(isCandidate);
  const hasRecordings = rows.some(({ replay_id }) => replay_id !== null);

  return (
    <RowList
      view="traces"
      list={{ ...list, rows }}
      keyOf={({ trace_id }) => trace_id}
      returnFrom={returnFrom}
      filters={
        <>
          <ChoiceFilter name="status" choices={TRACE_STATUSES} />
          <ChoiceFilter
            name="op"
            label="Operation"
            choices={sources?.ops ?? []}
          />
          <ToggleFilter name="preflights" value="true">Preflights</ToggleFilter>
          {own.page !== undefined && (
            <ToggleFilter name="page" value={own.page}>{`Loads of ${own.page}`}</ToggleFilter>
          )}
          <a href={fragmentTo("traces", ["vitals"], filterParams(params))}>Web vitals</a>
        </>
      }
      above={compareWith === undefined
        ? (
          <>
            {rows.length > 0 && <ListHistogram of="traces" query={{ q, ...own, ...filters }} />}
            <OnlyWithSpan {...own} count={list.rows.length} hasMore={list.more !== undefined} />
          </>
        )
        : (
          <p className="filtered-by">
            <span>
              Choose the trace to compare with <Id id={compareWith} />
              {own.name !== undefined && (
                <>. Only those named “{displayName({ op: own.op ?? null, name: own.name })}”</>
              )}
            </span>
            {own.name !== undefined && (
              <a href={fragmentTo("traces", [compareWith, "compare"])}>Show other names</a>
            )}
            <a href={fragmentTo("traces", [compareWith])}>Cancel</a>
          </p>
        )}
      table={{
        className: "data-table traces-list",
        caption: sort === undefined ? "Traces, newest first" : "Traces",
        columns: sortedBy(
          sort ?? "-started_at",
          hasRecordings ? [...COLUMNS, RECORDING] : COLUMNS,
        ),
      }}
      empty={
        <p>
          No traces received. <a href="#/settings">Generate telemetry</a> in Settings.
        </p>
      }
    >
      {(row, place) => (
        <TraceRow
          key={row.trace_id}
          row={row}
          href={compareWith === undefined
            ? fragmentTo("traces", [row.trace_id], Object.fromEntries(params))
            : fragmentTo("traces", [compareWith, "compare", row.trace_id])}
          hasRecordings={hasRecordings}
          {...place}
        />
      )}
    </RowList>
  );
}

/** What is counted while the list has only traces with certain spans. */
function OnlyWithSpan({ op, name, count, hasMore }: {
  op: string | undefined;
  name: string | undefined;
  count: number;
  hasMore: boolean;
}) {
  const { params } = useFragment("traces");
  if (op === undefined && name === undefined) return null;
  const others = { ...Object.fromEntries(params), op: undefined, name: undefined };
  return (
    <p className="filtered-by">
      <span>
        {hasMore ? `${count} or more traces` : formatCount(count, "trace")} with a span{" "}
        {name !== undefined && (
          <>
            named <b>{name}</b>
          </>
        )}
        {op !== undefined && (
          <>
            of operation <b>{op}</b>
          </>
        )}
      </span>
      <a href={fragmentTo("traces", [], others)}>Show all traces</a>
    </p>
  );
}

const COLUMNS: readonly SortableColumn[] = [
  { title: "Started", by: "started_at" },
  { title: "Trace" },
  { title: "Duration", numeric: true, by: "duration" },
  { title: "Spans", numeric: true, by: "spans" },
  { title: "Errors", numeric: true, by: "errors" },
  { title: "Logs", numeric: true, by: "logs" },
];
/** Left out if there are no recordings. */
const RECORDING: SortableColumn = { title: "Recording" };

/** One trace. Memoised: unchanged rows are not rendered again. */
const TraceRow = memo(
  function TraceRow({ row, href, hasRecordings, isTabStop, ...place }: RowPlace & {
    row: ListedTrace;
    href: string;
    hasRecordings: boolean;
  }) {
    return (
      <ListRow {...place}>
        <td className="at">
          <TimeAgo at={row.started_at} />
        </td>
        <td className="items">
          <a className="row-link" href={href} data-row={row.trace_id} tabIndex={isTabStop ? 0 : -1}>
            {displayName(row)}
          </a>{" "}
          <SourceLabel of={row.sources} />
          <small>
            <span className="op">{row.op ?? whatIsNamed(row)}</span> <Failure {...row} />
            {row.live && (
              <span className="flows">
                <OutcomeMark kind="flows" />live
              </span>
            )}
          </small>
        </td>
        <td className="n took">
          <Duration ms={durationOf(row)} />
        </td>
        <CountCell className="size" count={row.spans} noun="span" />
        <CountCell className="status" count={row.errors} noun="error" isFailure />
        <CountCell className="wrote" count={row.logs} noun="log" />
        {hasRecordings && (
          <td className="recording">
            {row.replay_id !== null && (
              <a href={momentHref(row.replay_id, row.started_at)} tabIndex={isTabStop ? 0 : -1}>
                play
              </a>
            )}
          </td>
        )}
      </ListRow>
    );
  },
);

/** Without spans, what a trace is named for. */
function whatIsNamed({ spans, errors, name }: ListedTrace): string | null {
  if (spans > 0 || name === null) return null;
  return errors > 0 ? "first error" : "first log";
}

/** An HTTP status of failure; without one, a failure that no error of the trace shows. */
function Failure({ http_status, failed, errors }: ListedTrace) {
  const text = http_status !== null && http_status >= 400
    ? `HTTP ${http_status}`
    : failed && errors === 0
    ? "failed"
    : undefined;
  return text && (
    <span className="refused">
      <OutcomeMark kind="refused" />
      {text}
    </span>
  );
}

/** A duration, with a bar on a logarithmic scale: 5 ms and 5 s can both be seen. */
function Duration({ ms }: { ms: number | null }) {
  if (ms === null) return "–";
  return (
    <>
      {formatFineDuration(ms)}
      <span
        className="gauge"
        aria-hidden="true"
        title="1 ms to 1 min, a mark at 10 ms, 100 ms, 1 s, 10 s"
      >
        <i style={{ width: `${durationShare(ms) * 100}%` }} />
      </span>
    </>
  );
}

/** End of the scale of durations; it starts at 1 ms. The marks in `trace.css` are at its powers of ten. */
const LONGEST_MS = 60_000;

/** The part of the scale that a duration takes, 0 to 1. */
function durationShare(ms: number): number {
  return Math.min(1, Math.log10(Math.max(1, ms)) / Math.log10(LONGEST_MS));
}

/** Milliseconds; null if no end was received. */
function durationOf({ started_at, ended_at }: ListedTrace): number | null {
  return ended_at === null ? null : Math.max(0, ended_at - started_at);
}
