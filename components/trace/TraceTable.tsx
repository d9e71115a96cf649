import type { ListedTrace } from "../../monitoring/inbox/read/source/live_row.ts";
import { formatFineDuration } from "../format/fine_duration.ts";
import { Mark } from "../Mark.tsx";
import { Time } from "../Time.tsx";

/**
 * Traces, newest first, each with a bar for how long it lasted beside the others.
 *
 * @param props.hrefOf where a trace is opened
 * @param props.stop the id of the one whose row the Tab key stops at
 */
export function TraceTable({ rows, hrefOf, stop }: {
  rows: readonly ListedTrace[];
  hrefOf: (traceId: string) => string;
  stop: string | undefined;
}) {
  const longest = rows.reduce((most, row) => Math.max(most, durationOf(row) ?? 0), 0);
  return (
    <table className="ledger traces-list">
      <caption>Traces, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Began</th>
          <th scope="col">Trace</th>
          <th scope="col" className="n">Duration</th>
          <th scope="col" className="n">Spans</th>
          <th scope="col" className="n">Errors</th>
          <th scope="col" className="n">Logs</th>
          <th scope="col">Recording</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.trace_id}>
            <td className="at">
              <Time at={row.started_at} />
            </td>
            <td className="items">
              <a
                className="row-link"
                href={hrefOf(row.trace_id)}
                data-row={row.trace_id}
                tabIndex={row.trace_id === stop ? 0 : -1}
              >
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
        ))}
      </tbody>
    </table>
  );
}

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

function durationOf({ started_at, ended_at }: ListedTrace): number | null {
  return ended_at === null ? null : Math.max(0, ended_at - started_at);
}
