import { memo } from "react";
import type { ListedTrace } from "./live_traces.ts";
import { formatFineDuration } from "../../components/format.ts";
import type { Column } from "../../components/EnvelopeTable.tsx";
import { Mark } from "../../components/Mark.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";

export const traceColumns: readonly Column[] = [
  { title: "Began" },
  { title: "Trace" },
  { title: "Duration", numeric: true },
  { title: "Spans", numeric: true },
  { title: "Errors", numeric: true },
  { title: "Logs", numeric: true },
  { title: "Recording" },
];

/**
 * One trace of the list; rows that did not change are not rendered again.
 *
 * @param props.href where it is opened
 * @param props.longest of the traces beside it, milliseconds
 * @param props.isStop the Tab key stops at this row
 */
export const TraceRow = memo(function TraceRow({ row, href, longest, isStop }: {
  row: ListedTrace;
  href: string;
  longest: number;
  isStop: boolean;
}) {
  return (
    <tr>
      <td className="at">
        <Timestamp at={row.started_at} />
      </td>
      <td className="items">
        <a className="row-link" href={href} data-row={row.trace_id} tabIndex={isStop ? 0 : -1}>
          {row.name ?? "No span has come"}
        </a>{" "}
        {row.op && <small>{row.op}</small>}
        {row.live && (
          <small className="flows">
            <Mark kind="flows" />live
          </small>
        )}
      </td>
      <td className="n took">
        <Lasted row={row} longest={longest} />
      </td>
      <td className="n size">
        {row.spans}
        <span className="unit">{row.spans === 1 ? "span" : "spans"}</span>
      </td>
      <td className={`n status ${row.errors > 0 ? "refused" : "none"}`}>
        {row.errors > 0 && <Mark kind="refused" />}
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

function Lasted({ row, longest }: { row: ListedTrace; longest: number }) {
  const lasted = durationOf(row);
  if (lasted === null) return "–";
  return (
    <>
      {formatFineDuration(lasted)}
      <span className="gauge" aria-hidden="true">
        <i style={{ width: `${lasted / (longest || 1) * 100}%` }} />
      </span>
    </>
  );
}

/** How long a trace lasted as far as is known, milliseconds; null: no end was told. */
export function durationOf({ started_at, ended_at }: ListedTrace): number | null {
  return ended_at === null ? null : Math.max(0, ended_at - started_at);
}
