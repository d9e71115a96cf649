import type { ListedTrace } from "./live_traces.ts";
import { durationOf, traceColumns, TraceRow } from "./TraceRow.tsx";

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
    <table className="data-table traces-list">
      <caption>Traces, newest first</caption>
      <thead>
        <tr>
          {traceColumns.map(({ title, numeric }) => (
            <th key={title} scope="col" className={numeric ? "n" : undefined}>{title}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <TraceRow
            key={row.trace_id}
            row={row}
            href={hrefOf(row.trace_id)}
            longest={longest}
            isStop={row.trace_id === stop}
          />
        ))}
      </tbody>
    </table>
  );
}
