import { shortId } from "../../components/format.ts";
import { LogDetails } from "./LogDetails.tsx";
import { LogLine } from "./LogLine.tsx";
import type { LogRow } from "../../monitoring/models/rows.ts";
import { fragmentTo } from "../shared/fragment.ts";

/**
 * One log in the tree of logs: its line, and under it, once it is opened, its details.
 *
 * @param props.index its place in the list
 * @param props.isActive the one line of the tree that the Tab key stops at
 */
export function LogRowGroup({ row, index, isOpen, isActive, onFocus, onToggle }: {
  row: LogRow;
  index: number;
  isOpen: boolean;
  isActive: boolean;
  onFocus: () => void;
  onToggle: () => void;
}) {
  const { trace_id: trace } = row;
  const tabIndex = isActive ? 0 : -1;
  return (
    <>
      <div
        role="row"
        className="log-line"
        aria-level={1}
        aria-rowindex={index + 2}
        aria-expanded={isOpen}
        tabIndex={tabIndex}
        onFocus={onFocus}
        onClick={onToggle}
      >
        <LogLine row={row} />
        <span role="gridcell" className="in">
          {trace && (
            <a
              href={traceOf(row, trace)}
              tabIndex={tabIndex}
              title={trace}
              aria-label={`Trace ${shortId(trace)}`}
              onClick={(event) => event.stopPropagation()}
            >
              {shortId(trace)}
            </a>
          )}
        </span>
      </div>
      {isOpen && (
        <div role="row" aria-level={2}>
          <div role="gridcell">
            <LogDetails row={row}>
              {trace && (
                <>
                  <a href={traceOf(row, trace)}>Open its trace</a>
                  <a href={fragmentTo("logs", [], { trace })}>Logs of this trace</a>
                </>
              )}
              <a href={fragmentTo("envelopes", [String(row.envelope)])}>Open its envelope</a>
            </LogDetails>
          </div>
        </div>
      )}
    </>
  );
}

function traceOf({ span_id: span }: LogRow, trace: string): string {
  return fragmentTo("traces", [trace], { span: span ?? undefined });
}
