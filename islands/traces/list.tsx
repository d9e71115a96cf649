import { useRef } from "react";
import { TraceTable } from "./TraceTable.tsx";
import { withLiveTraces } from "./live_traces.ts";
import type { ConsoleSource } from "../shared/source/source.ts";
import { ListToolbar } from "../shared/ListToolbar.tsx";
import { fragmentTo, useFragment } from "../shared/fragment.ts";
import { ListNotice, OlderButton } from "../shared/ListNotice.tsx";
import { useReturnToRow, useRowKeys } from "../shared/list_navigation.ts";
import { useLiveSpans } from "./live_spans.ts";
import { useList } from "../shared/use_source.ts";

/**
 * The list of traces, this page's own among them before any of their envelopes has come.
 *
 * @param props.from the trace that the reader comes back from
 */
export function TraceList({ source, from }: {
  source: ConsoleSource | undefined;
  from: string | undefined;
}) {
  const { params } = useFragment();
  const q = params.get("q") ?? undefined;
  const list = useList(source, "traces", q === undefined ? {} : { q });
  const live = useLiveSpans();
  // What has not come cannot be searched as the source searches: it stands aside.
  const rows = withLiveTraces(list.rows, q ? new Map() : live.traces, live.now);

  const { stop, events } = useRowKeys(rows.map(({ trace_id }) => trace_id), from);
  const place = useRef<HTMLDivElement>(null);
  useReturnToRow("traces", place, from, rows.length > 0);

  return (
    <div ref={place} {...events}>
      <ListToolbar source={source} what="traces" />
      <ListNotice source={source} list={{ ...list, rows }} what="traces">
        <p>
          No traces yet. One appears when something is done: <a href="#/">make a signal</a>.
        </p>
      </ListNotice>
      {rows.length > 0 && (
        <TraceTable
          rows={rows}
          stop={stop}
          hrefOf={(traceId) => fragmentTo("traces", [traceId], { q })}
        />
      )}
      <OlderButton what="traces" more={list.more} />
    </div>
  );
}
