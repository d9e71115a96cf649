import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { ticks as ticksOf } from "../../monitoring/models/trace/time_window.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import { type PlacedMark, readTrace } from "../../monitoring/models/trace/trace.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import type { TraceContent } from "../../monitoring/models/trace/trace_content.ts";
import { spanIdOf } from "../../monitoring/models/trace/span_tree.ts";
import { findRepetitions } from "../../monitoring/models/trace/repetitions.ts";
import { reveal, searchSpans, waterfallRows } from "../../monitoring/models/trace/waterfall.ts";
import type { Source } from "../../monitoring/models/rows.ts";
import { useSourceList } from "../data/lists.ts";
import { changeParams, fragmentTo, useFragment } from "../shared/fragment.ts";
import { LongestSpans } from "./LongestSpans.tsx";
import { Minimap, type MinimapBar } from "./Minimap.tsx";
import { KindLegend } from "./SpanKinds.tsx";
import { SpanDetail } from "./SpanDetail.tsx";
import { nameOf } from "../shared/source_labels.ts";
import { useStableMemo } from "../shared/stable.ts";
import { TimeAxis } from "./TimeAxis.tsx";
import { chooseHref } from "./TraceCompare.tsx";
import { TraceFacts, TraceLinks, traceWarnings, Warnings } from "./TraceHeader.tsx";
import { useTraceContent } from "./use_trace_content.ts";
import { TraceToolbar } from "./TraceToolbar.tsx";
import { useLiveSpans } from "./use_live_spans.ts";
import { useTimeWindow } from "./use_time_window.ts";
import { type ScrollRequest, Waterfall } from "./Waterfall.tsx";
import { formatVitals, WebVitals } from "./WebVitals.tsx";
import { DetailView } from "../kit/DetailView.tsx";

/** With fewer spans the waterfall shows nearly all of them. */
const MIN_MINIMAP_SPANS = 60;
const NOTHING: TraceContent = {
  envelopes: [],
  applications: [],
  parts: [],
  replay_id: null,
  unreadable: 0,
  truncated: false,
};
/** At most this many ticks on the time axis. */
const TICKS = { wide: 8, besideDetail: 5, narrow: 4 };

/**
 * One trace: facts, search, minimap, waterfall, and the selected span.
 *
 * @param props.takesFocus focuses the heading: the link that was followed is not on the page any more
 */
export function TraceView({ traceId, takesFocus }: {
  traceId: string;
  takesFocus: boolean;
}) {
  const { params } = useFragment();
  const content = useTraceContent(traceId);
  const stored = content.value ?? NOTHING;
  const live = useLiveSpans();
  const liveSpans = live.traces.get(traceId);
  // Reading a large trace takes a frame or two: not repeated when other traces of this page change.
  const trace = useStableMemo(
    () => readTrace(stored.parts, liveSpans ? { live: liveSpans, now: live.now } : {}),
    [stored, liveSpans],
  );
  const timeWindow = useTimeWindow(trace);
  const { window, frame } = timeWindow;
  const isZoomed = window.start_ms > frame.start_ms || window.end_ms < frame.end_ms;
  // Once shown, the minimap stays: it may have the focus, and the rows must not move.
  const [wasZoomed, setWasZoomed] = useState(false);
  if (isZoomed && !wasZoomed) setWasZoomed(true);
  const isNarrow = useIsNarrow();
  const most = isNarrow ? TICKS.narrow : params.has("span") ? TICKS.besideDetail : TICKS.wide;
  const ticks = useMemo(() => ticksOf(window, trace.start_ms, most), [
    window,
    trace.start_ms,
    most,
  ]);

  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const repetitions = useMemo(() => findRepetitions(trace.tree, trace.times), [trace]);
  const rows = useMemo(
    () => waterfallRows(trace.tree, toggled, repetitions),
    [trace.tree, toggled, repetitions],
  );
  const sources = useSourceList()?.rows;
  const applications = useMemo(() => applicationsOf(stored, sources), [stored, sources]);
  const nodes = useMemo(
    () => new Map(trace.tree.nodes.map((node) => [node.key, node])),
    [trace.tree],
  );
  const marksOf = useMemo(() => {
    const bySpan = Map.groupBy(trace.marks, ({ span_id }) => `span:${span_id}`);
    const together = [...new Set(repetitions.values())].map(({ key, nodes }) =>
      [key, nodes.flatMap((node) => bySpan.get(node.key) ?? [])] as const
    );
    return new Map([...bySpan, ...together]);
  }, [trace.marks, repetitions]);
  const minimapBars = useMemo(
    () =>
      trace.tree.nodes.map((node): MinimapBar => ({
        ...trace.times.byNode.get(node)!,
        depth: node.depth,
        kind: node.span && (node.span.failed ? "failed" : spanKind(node.span)),
      })),
    [trace],
  );

  const selected = [`span:${params.get("span")}`, `missing:${params.get("span")}`]
    .find((key) => nodes.has(key));
  const selectedNode = selected === undefined ? undefined : nodes.get(selected);
  const [scrollRequest, setScrollRequest] = useState<ScrollRequest>();
  const bringIntoView = (key: string, takesFocus: boolean) => {
    const node = nodes.get(key);
    if (node) {
      setToggled((now) => reveal(node, now, repetitions.get(node)));
      timeWindow.reveal(trace.times.byNode.get(node)!);
    }
    setScrollRequest({ key, takesFocus });
  };
  // Also for a link to a span, once the trace is read.
  useEffect(() => {
    if (selected !== undefined) bringIntoView(selected, false);
  }, [selected]);

  const [text, setText] = useState(params.get("q") ?? "");
  const matches = useMemo(() => searchSpans(trace.tree, text), [trace.tree, text]);
  const matchSet = useMemo(
    () => new Set(matches.flatMap((key) => [key, repetitions.get(nodes.get(key)!)?.key ?? key])),
    [matches, repetitions, nodes],
  );

  const select = (key: string | undefined) => {
    const node = key === undefined ? undefined : nodes.get(key);
    changeParams({ span: node && spanIdOf(node) });
  };
  const toggle = (key: string) => setToggled((now) => now.symmetricDifference(new Set([key])));
  const collapseAll = () => {
    const parents = trace.tree.nodes.filter(({ children }) => children.length > 0);
    setToggled(new Set(parents.map(({ key }) => key)));
  };
  const spanHref = (span: string) =>
    fragmentTo("traces", [traceId], { ...Object.fromEntries(params), span });
  const firstFailed = trace.tree.nodes.find(({ span }) => span?.failed);
  const hrefOf = ({ error, envelope }: PlacedMark) =>
    error !== null
      ? fragmentTo("errors", [error, String(envelope)])
      : fragmentTo("logs", [], { trace: traceId });
  const vitals = formatVitals(trace.vitals);

  const isEmpty = trace.tree.nodes.length === 0 && trace.marks.length === 0;
  return (
    <DetailView
      className="trace"
      back={{
        text: "All traces",
        href: fragmentTo("traces", [], { ...Object.fromEntries(params), span: undefined }),
      }}
      title={isEmpty ? "Trace" : displayName(trace.summary)}
      header={
        <>
          {!isEmpty && (
            <TraceFacts
              summary={trace.summary}
              startedAt={trace.summary.started_at ?? trace.start_ms}
              hrefs={{
                errors: fragmentTo("errors", [], { trace: traceId, state: "all" }),
                failed: firstFailed && spanHref(spanIdOf(firstFailed)),
                logs: fragmentTo("logs", [], { trace: traceId }),
              }}
            />
          )}
          <TraceLinks
            traceId={traceId}
            compareHref={isEmpty ? undefined : chooseHref(traceId, trace.summary)}
            replayId={stored.replay_id}
            startedAt={trace.summary.started_at ?? trace.start_ms}
          />
        </>
      }
      takesFocus={takesFocus}
    >
      {content.state === "failed"
        ? <ReadFailure message={content.error} retry={content.retry} />
        : isEmpty && (
          <p className="empty">
            {content.state === "loading"
              ? "Loading the trace."
              : "Trace not found: it was not received, or it was deleted."}
          </p>
        )}
      {!isEmpty && (
        <>
          <Warnings warnings={traceWarnings(trace.summary)} />
          {stored.truncated && (
            <p className="waits">
              This trace is too large to show all of it. Only its newest part is shown.
            </p>
          )}
          <div className="trace-measures">
            <WebVitals vitals={vitals} />
            <LongestSpans
              trace={trace}
              hrefOf={spanHref}
              onShow={(key) => bringIntoView(key, true)}
            />
          </div>
          <TraceToolbar
            isNarrow={isNarrow}
            text={text}
            onText={setText}
            matches={matches}
            onShowMatch={(key) => bringIntoView(key, false)}
            timeWindow={timeWindow}
            hasSections={trace.sections.length > 1}
            onCollapseAll={collapseAll}
            onExpandAll={() => setToggled(new Set([...repetitions.values()].map(({ key }) => key)))}
          />
          {(wasZoomed || trace.tree.nodes.length >= MIN_MINIMAP_SPANS) && (
            <Minimap origin={trace.start_ms} bars={minimapBars} timeWindow={timeWindow} />
          )}
          <div className={selectedNode ? "trace-body with-detail" : "trace-body"}>
            <Waterfall
              trace={trace}
              rows={rows}
              applications={applications}
              window={window}
              ticks={ticks}
              isNarrow={isNarrow}
              marksOf={marksOf}
              matches={matchSet}
              selected={selected}
              scrollRequest={scrollRequest}
              axis={
                <TimeAxis
                  isNarrow={isNarrow}
                  window={window}
                  origin={trace.start_ms}
                  ticks={ticks}
                  marks={trace.marks}
                  vitals={vitals}
                  sections={trace.sections}
                  hrefOf={hrefOf}
                  onShow={timeWindow.reveal}
                />
              }
              onSelect={select}
              onToggle={toggle}
              onKeyDown={timeWindow.onZoomKey}
            />
            {selectedNode && (
              <SpanDetail
                node={selectedNode}
                application={applications.get(selectedNode.span?.envelope ?? null)}
                trace={trace}
                traceId={traceId}
                replayId={stored.replay_id}
                marks={marksOf.get(selectedNode.key) ?? []}
                hrefOf={hrefOf}
                onClose={() => {
                  select(undefined);
                  bringIntoView(selectedNode.key, true);
                }}
              />
            )}
          </div>
          <KindLegend trace={trace} />
        </>
      )}
    </DetailView>
  );
}

/** The name of the application that sent each envelope, if it is known. */
function applicationsOf(
  { envelopes, applications }: TraceContent,
  sources: readonly Source[] = [],
): ReadonlyMap<number | null, string> {
  const names = new Map(sources.map((one) => [one.key, nameOf(one)]));
  return new Map(envelopes.flatMap((id, i) => {
    const name = names.get(applications[i] ?? "");
    return name === undefined ? [] : [[id, name]];
  }));
}

/** The same width as in `components/styles/`. */
const NARROW = "(max-width: 40rem)";

/** Whether the page is as narrow as a phone. */
function useIsNarrow(): boolean {
  return useSyncExternalStore(
    subscribeToWidth,
    () => matchMedia(NARROW).matches,
    () => false,
  );
}

function subscribeToWidth(listener: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}
