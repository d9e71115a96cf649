import { useEffect, useMemo, useRef, useState } from "react";
import { Axis } from "./Axis.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { Overview } from "./Overview.tsx";
import { Summary } from "./Summary.tsx";
import { Vitals } from "./Vitals.tsx";
import type { ConsoleSource } from "../shared/source/source.ts";
import { ticks as ticksOf } from "../../monitoring/models/trace/time_window.ts";
import { type PlacedMark, readTrace } from "../../monitoring/models/trace/trace.ts";
import { reveal, searchSpans, waterfallRows } from "../../monitoring/models/trace/waterfall.ts";
import { changeParams, fragmentTo, goTo, useFragment } from "../shared/fragment.ts";
import { InboxTokenForm } from "../shared/InboxTokenForm.tsx";
import { useKept } from "./kept.ts";
import { useLiveSpans } from "./live_spans.ts";
import { useNarrow } from "./narrow.ts";
import { useSourceState } from "../shared/use_source.ts";
import { ChosenSpan } from "./span_detail.tsx";
import { useTimeWindow } from "./time_window.ts";
import { TraceBar } from "./bar.tsx";
import { TraceHead } from "./head.tsx";
import { useTraceParts } from "./parts.ts";
import { shownVitals } from "./vitals.ts";
import { Waterfall } from "./waterfall.tsx";

/**
 * One trace: what is to be known of it, its waterfall, and the span that was chosen.
 *
 * @param props.entered the reader came from elsewhere in the console
 */
export function TraceView({ source, traceId, variant, entered }: {
  source: ConsoleSource | undefined;
  traceId: string;
  variant: string;
  entered: boolean;
}) {
  const { params } = useFragment();
  const { state } = useSourceState(source);
  const found = useTraceParts(source, traceId);
  const live = useLiveSpans();
  const own = live.traces.get(traceId);
  // What other traces of this page do makes nothing new of this one: reading a large one takes a frame or two.
  const trace = useKept(
    () => readTrace(found.parts, own ? { live: own, now: live.now } : {}),
    [found.parts, own],
  );
  const { window, ...zooming } = useTimeWindow(trace);
  const narrow = useNarrow();
  const ticks = useMemo(
    () => ticksOf(window, trace.start_ms, narrow ? 4 : 8),
    [window, trace.start_ms, narrow],
  );

  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => waterfallRows(trace.tree, collapsed), [trace.tree, collapsed]);
  const nodes = useMemo(
    () => new Map(trace.tree.nodes.map((node) => [node.key, node])),
    [trace.tree],
  );
  const marksOf = useMemo(
    () => Map.groupBy(trace.marks, ({ span_id }) => `span:${span_id}`),
    [trace.marks],
  );
  const bars = useMemo(
    () => trace.tree.nodes.map((node) => ({ ...trace.times.of.get(node)!, depth: node.depth })),
    [trace],
  );

  const chosen = params.get("span") === null ? undefined : `span:${params.get("span")}`;
  const chosenNode = chosen === undefined ? undefined : nodes.get(chosen);
  const [goal, setGoal] = useState<{ key: string; focus: boolean }>();
  const go = (key: string, focus: boolean) => {
    const node = nodes.get(key);
    if (node) setCollapsed((now) => reveal(node, now));
    setGoal({ key, focus });
  };
  // A link to a span: shown as soon as it is there.
  const linked = useRef(chosen);
  useEffect(() => {
    if (linked.current === undefined || !nodes.has(linked.current)) return;
    go(linked.current, false);
    linked.current = undefined;
  }, [nodes]);

  const [text, setText] = useState(params.get("q") ?? "");
  const hits = useMemo(() => searchSpans(trace.tree, text), [trace.tree, text]);
  const foundKeys = useMemo(() => new Set(hits), [hits]);

  const q = params.get("q") ?? undefined;
  const list = fragmentTo("traces", [], { q });
  const choose = (key: string | undefined) => {
    const span = key?.startsWith("span:") ? key.slice("span:".length) : undefined;
    changeParams({ span });
  };
  const toggle = (key: string) =>
    setCollapsed((now) => now.has(key) ? now.difference(new Set([key])) : new Set([...now, key]));
  const hrefOf = ({ error, envelope }: PlacedMark) =>
    error !== null
      ? fragmentTo("errors", [error, String(envelope)])
      : fragmentTo("logs", [], { trace: traceId });
  const vitals = shownVitals(trace.vitals);

  const empty = trace.tree.nodes.length === 0 && trace.marks.length === 0;
  return (
    <div
      className="trace"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        goTo(list);
      }}
    >
      <TraceHead
        name={trace.summary.name}
        traceId={traceId}
        list={list}
        variant={variant}
        replayId={found.replayId}
        entered={entered}
      />
      {state === "forbidden" && source
        ? <InboxTokenForm authorize={(token) => source.authorize(token)} />
        : found.state === "failed"
        ? <ReadFailure sentence={found.error} retry={found.retry} />
        : empty && (
          <p className="empty">
            {found.state === "loading"
              ? "Reading the trace."
              : "Nothing of this trace is here: it has not arrived, or no longer."}
          </p>
        )}
      {!empty && (
        <>
          <Summary
            summary={trace.summary}
            startedAt={trace.start_ms}
            scope={source?.scope}
          />
          {found.cut && (
            <p className="waits">
              This trace is longer than what is read of it: its newest part is shown.
            </p>
          )}
          <Vitals vitals={vitals} />
          <TraceBar
            text={text}
            onText={setText}
            hits={hits}
            onHit={(key) => go(key, false)}
            zooming={zooming}
            onCollapse={() =>
              setCollapsed(
                new Set(
                  trace.tree.nodes.filter((node) => node.children.length > 0).map((node) =>
                    node.key
                  ),
                ),
              )}
            onExpand={() => setCollapsed(new Set())}
          />
          <Overview
            all={trace}
            window={window}
            bars={bars}
            onDraw={zooming.draw}
            onKeyDown={zooming.onPanKey}
          />
          <div className={chosenNode ? "trace-body with-detail" : "trace-body"}>
            <Waterfall
              trace={trace}
              rows={rows}
              window={window}
              ticks={ticks}
              marksOf={marksOf}
              found={foundKeys}
              chosen={chosen}
              goal={goal}
              axis={
                <Axis
                  narrow={narrow}
                  window={window}
                  origin={trace.start_ms}
                  ticks={ticks}
                  marks={trace.marks}
                  vitals={vitals}
                  hrefOf={hrefOf}
                />
              }
              onChoose={choose}
              onToggle={toggle}
              onKeyDown={zooming.onZoomKey}
            />
            {chosenNode && (
              <ChosenSpan
                node={chosenNode}
                trace={trace}
                traceId={traceId}
                marks={marksOf.get(chosenNode.key) ?? []}
                hrefOf={hrefOf}
                onClose={() => {
                  choose(undefined);
                  go(chosenNode.key, true);
                }}
              />
            )}
          </div>
        </>
      )}
    </div>
  );
}
