import { memo, useRef } from "react";
import { type Column, DataTable } from "../../components/DataTable.tsx";
import { formatFineDuration } from "../../components/format.ts";
import { Id } from "../../components/Id.tsx";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { ToggleFilter } from "../shared/ToggleFilter.tsx";
import { ListToolbar } from "../shared/ListToolbar.tsx";
import { fragmentTo, useFragment } from "../shared/fragment.ts";
import { ListNotice, OlderButton } from "../shared/ListNotice.tsx";
import { useReturnToRow, useRowKeys } from "../shared/list_navigation.ts";
import { useList } from "../shared/use_source.ts";
import { sharedFilters } from "../shared/filters.ts";
import { SourceLabel, SourceLabels } from "../shared/SourceLabel.tsx";
import { useShowsOwn } from "../shared/source_list.ts";
import type { ConsoleSource } from "../shared/source/source.ts";
import { type ListedTrace, withLiveTraces } from "./live_traces.ts";
import { useLiveSpans } from "./use_live_spans.ts";

/**
 * The list of traces. Includes this page's own traces before their envelopes have arrived.
 *
 * @param props.returnFrom id of the trace that was open before; its row gets the focus
 * @param props.compareWith id of a trace: the rows lead to their comparison with it
 */
export function TraceList({ source, returnFrom, compareWith }: {
  source: ConsoleSource | undefined;
  returnFrom: string | undefined;
  compareWith?: string;
}) {
  const { params } = useFragment();
  const q = params.get("q") ?? undefined;
  const filters = sharedFilters(params);
  const sort = params.get("sort") === "slowest" ? "slowest" : undefined;
  const list = useList(source, "traces", { q, sort, ...filters });
  const live = useLiveSpans();
  // The filters are applied by the data source, which does not have the live traces.
  const isFiltered = [q, sort, filters.release, filters.until].some((filter) =>
    filter !== undefined
  );
  const showsOwn = useShowsOwn(source, filters);
  const liveTraces = showsOwn && !isFiltered ? live.traces : new Map();
  const rows = withLiveTraces(list.rows, liveTraces, live.now);

  const { stop, events } = useRowKeys(rows.map(({ trace_id }) => trace_id), returnFrom);
  const container = useRef<HTMLDivElement>(null);
  useReturnToRow("traces", container, returnFrom, rows.length > 0);

  return (
    <div ref={container} {...events}>
      <ListToolbar source={source} what="traces">
        <ToggleFilter name="sort" value="slowest">Slowest first</ToggleFilter>
      </ListToolbar>
      {compareWith !== undefined && (
        <p className="filtered-by">
          <span>
            Choose the trace to compare with <Id id={compareWith} />
          </span>
          <a href={fragmentTo("traces", [compareWith])}>Cancel</a>
        </p>
      )}
      <ListNotice source={source} list={{ ...list, rows }} what="traces">
        <p>
          No traces received. <a href="#/">Generate telemetry</a> on the overview.
        </p>
      </ListNotice>
      {rows.length > 0 && (
        <SourceLabels source={source}>
          <TraceTable
            rows={rows}
            caption={`Traces, ${sort ?? "newest"} first`}
            tabStop={stop}
            hrefOf={(traceId) =>
              compareWith === undefined
                ? fragmentTo("traces", [traceId], Object.fromEntries(params))
                : fragmentTo("traces", [compareWith, "compare", traceId])}
          />
        </SourceLabels>
      )}
      <OlderButton what="traces" more={list.more} />
    </div>
  );
}

const COLUMNS: readonly Column[] = [
  { title: "Started" },
  { title: "Trace" },
  { title: "Duration", numeric: true },
  { title: "Spans", numeric: true },
  { title: "Errors", numeric: true },
  { title: "Logs", numeric: true },
  { title: "Recording" },
];

function TraceTable({ rows, caption, hrefOf, tabStop }: {
  rows: readonly ListedTrace[];
  caption: string;
  hrefOf: (traceId: string) => string;
  /** Id of the trace whose row is in the tab order. */
  tabStop: string | undefined;
}) {
  const longest = rows.reduce((most, row) => Math.max(most, durationOf(row) ?? 0), 0);
  return (
    <DataTable
      className="data-table traces-list"
      caption={caption}
      columns={COLUMNS}
    >
      {rows.map((row) => (
        <TraceRow
          key={row.trace_id}
          row={row}
          href={hrefOf(row.trace_id)}
          longest={longest}
          isTabStop={row.trace_id === tabStop}
        />
      ))}
    </DataTable>
  );
}

const TraceRow = memo(function TraceRow({ row, href, longest, isTabStop }: {
  row: ListedTrace;
  href: string;
  /** Duration of the longest trace in the list, milliseconds. */
  longest: number;
  isTabStop: boolean;
}) {
  return (
    <tr>
      <td className="at">
        <Timestamp at={row.started_at} />
      </td>
      <td className="items">
        <a className="row-link" href={href} data-row={row.trace_id} tabIndex={isTabStop ? 0 : -1}>
          {titleOf(row)}
        </a>{" "}
        <SourceLabel of={row.sources} />
        <small>{row.op ?? whatIsNamed(row)}</small>
        {row.live && (
          <small className="flows">
            <OutcomeMark kind="flows" />live
          </small>
        )}
      </td>
      <td className="n took">
        <Duration ms={durationOf(row)} longest={longest} />
      </td>
      <td className="n size">
        {row.spans}
        <span className="unit">{row.spans === 1 ? "span" : "spans"}</span>
      </td>
      <td className={`n status ${row.errors > 0 ? "refused" : "none"}`}>
        {row.errors > 0 && <OutcomeMark kind="refused" />}
        {row.errors}
        <span className="unit">{row.errors === 1 ? "error" : "errors"}</span>
      </td>
      <td className="n wrote">
        {row.logs}
        <span className="unit">{row.logs === 1 ? "log" : "logs"}</span>
      </td>
      <td className="recording">{row.replay_id === null ? "" : "yes"}</td>
    </tr>
  );
});

const titleOf = ({ name, op }: ListedTrace) =>
  name === null ? "(no name)" : displayName({ name, op });

/** Without spans, what a trace is named for. */
function whatIsNamed({ spans, errors, name }: ListedTrace): string | null {
  if (spans > 0 || name === null) return null;
  return errors > 0 ? "first error" : "first log";
}

/** A duration, with a bar that compares it to the longest one. */
function Duration({ ms, longest }: { ms: number | null; longest: number }) {
  if (ms === null) return "–";
  return (
    <>
      {formatFineDuration(ms)}
      <span className="gauge" aria-hidden="true">
        <i style={{ width: `${ms / (longest || 1) * 100}%` }} />
      </span>
    </>
  );
}

/** Milliseconds; null if no end was received. */
function durationOf({ started_at, ended_at }: ListedTrace): number | null {
  return ended_at === null ? null : Math.max(0, ended_at - started_at);
}
