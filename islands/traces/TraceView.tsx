import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { ticks as ticksOf } from "../../monitoring/models/trace/time_window.ts";
import { type PlacedMark, readTrace } from "../../monitoring/models/trace/trace.ts";
import { clocksNotCorrected } from "../../monitoring/models/trace/span_times.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { NO_CONTENT, omittedText } from "../../monitoring/models/trace/trace_content.ts";
import { spanIdOf } from "../../monitoring/models/trace/span_tree.ts";
import { useApplications } from "../data/lists.ts";
import { changeParams, fragmentTo, linkTo, useFragment } from "../data/fragment.ts";
import { Flame } from "./Flame.tsx";
import { LongestSpans } from "./LongestSpans.tsx";
import { Minimap } from "./Minimap.tsx";
import { KindLegend } from "./SpanKinds.tsx";
import { RepetitionDetail } from "./RepetitionDetail.tsx";
import { SpanDetail } from "./SpanDetail.tsx";
import { labelsByKey } from "../../monitoring/models/application_rows.ts";
import { TimeAxis } from "./TimeAxis.tsx";
import { chooseHref } from "./TraceCompare.tsx";
import { TraceFacts, traceWarnings, Warnings } from "./TraceHeader.tsx";
import { useTraceContent } from "../data/use_read.ts";
import { TraceLogs } from "./TraceLogs.tsx";
import { TraceMenu, TraceSearch } from "./TraceToolbar.tsx";
import { mainSection } from "../../monitoring/models/trace/time_sections.ts";
import { useTimeWindow } from "../charts/use_time_window.ts";
import { useTraceRows } from "./use_trace_rows.ts";
import { type ScrollRequest, Waterfall } from "./Waterfall.tsx";
import { formatVitals, WebVitals } from "./WebVitals.tsx";
import { Segmented } from "../kit/Segmented.tsx";
import { PlayLink } from "../kit/PlayLink.tsx";
import { CopyId } from "../kit/CopyButton.tsx";
import { Unread } from "../kit/Blank.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { isShown, useStepKeys } from "../kit/use_keys.ts";

/** With fewer spans the waterfall shows nearly all of them. */
const MIN_MINIMAP_SPANS = 60;
const SHAPES = [[undefined, "Waterfall"], ["flame", "Flame"]] as const;
const TICKS = { wide: 8, besideDetail: 5, narrow: 4 };

/** One trace: facts, search, minimap, waterfall, and the selected span. */
export function TraceView({ traceId }: { traceId: string }) {
  const { params, to } = useFragment();
  const content = useTraceContent(traceId);
  const stored = content.value ?? NO_CONTENT;
  // Reading a large trace takes a frame or two.
  const trace = useMemo(() => readTrace(stored), [stored]);
  const timeWindow = useTimeWindow(trace, trace.sections, mainSection(trace.sections));
  const { window, isZoomed } = timeWindow;
  // Once shown, the minimap stays: it may have the focus, and the rows must not move.
  const [wasZoomed, setWasZoomed] = useState(false);
  if (isZoomed && !wasZoomed) setWasZoomed(true);
  const isNarrow = useIsNarrow();
  const most = isNarrow
    ? TICKS.narrow
    : (params.has("span") || params.has("pattern"))
    ? TICKS.besideDetail
    : TICKS.wide;
  const { origin_ms } = trace;
  const ticks = useMemo(() => ticksOf(window, origin_ms, most), [window, origin_ms, most]);

  const isFlame = params.get("as") === "flame";
  const q = params.get("q") ?? "";
  const [text, setText] = useState(q);
  // The list beside it was searched, or an address with another query followed.
  useEffect(() => setText(q), [q]);
  const tree = useTraceRows(trace, text);
  const { rows, nodes, marksOf } = tree;
  const known = useApplications()?.rows;
  const applications = useMemo(() => labelsByKey(known ?? []), [known]);

  const [span, part] = [params.get("span"), params.get("pattern")];
  const repetition = part === null ? undefined : tree.repetitionOf(`repeated:span:${part}`);
  const selected = repetition?.key ??
    [`span:${span}`, `missing:${span}`].find((key) => nodes.has(key));
  const selectedNode = nodes.get(selected ?? "");
  const [scrollRequest, setScrollRequest] = useState<ScrollRequest>();
  const bringIntoView = (key: string, takesFocus: boolean) => {
    const node = nodes.get(key);
    if (node) {
      tree.reveal(node);
      timeWindow.reveal(trace.times.byNode.get(node)!);
    }
    setScrollRequest({ key, takesFocus });
  };
  // Also for a link to a span, once the trace is read.
  useEffect(() => {
    if (selected !== undefined) bringIntoView(selected, false);
  }, [selected]);

  const body = useRef<HTMLDivElement>(null);
  const active = useRef<string>(undefined);
  const [match, setMatch] = useState<string>();
  /** Shows the next of some spans, in the order of the tree. */
  const stepTo = (
    keys: readonly string[],
    by: 1 | -1,
    { wraps = true, takesFocus = true } = {},
  ) => {
    const placeOf = (key: string | undefined) => tree.places.get(key ?? "") ?? -1;
    const from = placeOf(active.current);
    const next = by === 1
      ? keys.find((key) => placeOf(key) > from)
      : keys.findLast((key) => placeOf(key) < from);
    const key = next ?? (wraps ? keys.at(by === 1 ? 0 : -1) : undefined);
    if (key === undefined) return;
    if (keys === tree.found) setMatch(key);
    active.current = key;
    if (isFlame) select(key);
    else bringIntoView(key, takesFocus);
  };
  useStepKeys(["nN", "eE", "jk"], (by, pair) => {
    if (!isShown(body.current)) return false;
    const { nodes } = trace.tree;
    if (pair === "nN") stepTo(tree.found, by);
    else if (pair === "eE") {
      stepTo(nodes.filter(({ span }) => span?.failed).map(({ key }) => key), by);
    } else stepTo(nodes.map(({ key }) => key), by, { wraps: false });
    return true;
  });

  const select = (key: string | undefined) => {
    const node = key === undefined ? undefined : nodes.get(key);
    const first = key === undefined ? undefined : tree.repetitionOf(key)?.nodes[0];
    changeParams({ span: node && spanIdOf(node), pattern: first && spanIdOf(first) });
  };
  const closeSpan = () => {
    select(undefined);
    if (selected !== undefined) bringIntoView(selected, true);
  };
  const spanHref = (span: string) => to([traceId], { span, pattern: undefined });
  const firstFailed = trace.tree.nodes.find(({ span }) => span?.failed);
  const hrefOf = ({ error, envelope }: PlacedMark) =>
    error !== null
      ? linkTo("errors", [error, String(envelope)])
      : fragmentTo("logs", [], { trace: traceId });
  const vitals = formatVitals(trace);

  const axis = (
    <TimeAxis
      isNarrow={isNarrow}
      window={window}
      origin={origin_ms}
      ticks={ticks}
      marks={trace.marks}
      vitals={vitals}
      sections={trace.sections}
      hrefOf={hrefOf}
      onShow={timeWindow.reveal}
    />
  );

  const isEmpty = trace.tree.nodes.length === 0 && trace.marks.length === 0;
  return (
    <DetailView
      className="trace"
      back="All traces"
      title={isEmpty ? "Trace" : displayName(trace.summary)}
      facts={
        <>
          {!isEmpty && (
            <TraceFacts
              trace={trace}
              hrefs={{
                errors: fragmentTo("errors", [], { trace: traceId, state: "all" }),
                failed: firstFailed && spanHref(spanIdOf(firstFailed)),
              }}
            />
          )}
          <CopyId id={traceId} what="trace id" />
        </>
      }
      actions={!isEmpty && (
        <>
          <PlayLink replayId={stored.replay_id} moment={trace.moment} />
          <a href={chooseHref(traceId, trace.summary)}>Compare</a>
          <CopyMenu what="trace" json={stored} />
          <TraceMenu
            timeWindow={timeWindow}
            hasSections={trace.sections.length > 1}
            tree={isFlame ? undefined : tree}
          />
        </>
      )}
      closeInner={selected === undefined ? undefined : closeSpan}
    >
      {(isEmpty || content.state === "failed") && <Unread what="trace" of={content} />}
      {!isEmpty && (
        <>
          <Warnings
            warnings={[
              ...span !== null && selected === undefined
                ? [`No span of this trace that has arrived has the id ${span}.`]
                : [],
              ...traceWarnings(
                trace.summary,
                omittedText(stored),
                clocksNotCorrected(trace, known ?? []),
              ),
            ]}
          />
          <div className="trace-line line pad">
            <Segmented label="Shown as" name="as" choices={SHAPES} />
            <TraceSearch
              text={text}
              onText={(text) => {
                setText(text);
                setMatch(undefined);
              }}
              count={tree.found.length}
              current={tree.found.indexOf(match ?? "")}
              step={(by) => stepTo(tree.found, by, { takesFocus: false })}
            />
            <WebVitals vitals={vitals} />
            <LongestSpans
              trace={trace}
              hrefOf={spanHref}
              onShow={(key) => bringIntoView(key, true)}
            />
          </div>
          {(wasZoomed || trace.tree.nodes.length >= MIN_MINIMAP_SPANS) && (
            <Minimap trace={trace} timeWindow={timeWindow} />
          )}
          <div className={selected ? "trace-body with-detail" : "trace-body"} ref={body}>
            {isFlame
              ? (
                <Flame
                  trace={trace}
                  timeWindow={timeWindow}
                  matches={tree.matches}
                  selected={selected}
                  axis={axis}
                  onSelect={select}
                />
              )
              : (
                <Waterfall
                  trace={trace}
                  rows={rows}
                  applications={applications}
                  window={window}
                  ticks={ticks}
                  isNarrow={isNarrow}
                  marksOf={marksOf}
                  matches={tree.matches}
                  selected={selected}
                  scrollRequest={scrollRequest}
                  axis={axis}
                  active={active}
                  onSelect={select}
                  onToggle={tree.toggle}
                  onKeyDown={timeWindow.onZoomKey}
                />
              )}
            {repetition && (
              <RepetitionDetail
                repetition={repetition}
                times={trace.times}
                onClose={closeSpan}
              />
            )}
            {selectedNode && (
              <SpanDetail
                node={selectedNode}
                application={applications.get(selectedNode.span?.application ?? "")}
                trace={trace}
                traceId={traceId}
                replayId={stored.replay_id}
                marks={marksOf.get(selectedNode.key) ?? []}
                hrefOf={hrefOf}
                onClose={closeSpan}
              />
            )}
          </div>
          <TraceLogs
            trace={trace}
            traceId={traceId}
            applications={applications}
            matches={tree.foundMarks}
          />
          <KindLegend trace={trace} hasBars={!isFlame} />
        </>
      )}
    </DetailView>
  );
}

/** The same width as in `components/styles/`. */
const NARROW = "(max-width: 40rem)";

function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribeToWidth, () => matchMedia(NARROW).matches);
}

function subscribeToWidth(listener: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}
