import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  memo,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { selfParts } from "../../monitoring/models/trace/self_time.ts";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import type { Tick } from "../../monitoring/models/trace/time_window.ts";
import type { PlacedMark, Trace } from "../../monitoring/models/trace/trace.ts";
import type { WaterfallRow } from "../../monitoring/models/trace/waterfall.ts";
import { rowForKey } from "../kit/use_keys.ts";
import { withActiveRow } from "../kit/use_rows.tsx";
import { SpanRow } from "./SpanRow.tsx";
import { wholeText } from "./TraceHeader.tsx";
import { percentAt } from "../charts/time_scale.ts";

/** Height of a row in pixels: one line; on narrow pages the bar is below the name. */
const ROW_PX = 24;
const NARROW_ROW_PX = 44;
/** Rows rendered beyond each edge, so that fast scrolling shows no blank. More rows make each frame slower. */
const OVERSCAN = 8;
/** One object for all rows without marks: a new one would render them again. */
const NO_MARKS: readonly PlacedMark[] = [];
const NO_PARTS: readonly (readonly Extent[])[] = [];

interface WaterfallProps {
  readonly trace: Trace;
  readonly rows: readonly WaterfallRow[];
  /** Labels of applications by their keys. */
  readonly applications: ReadonlyMap<string, string>;
  readonly window: Extent;
  readonly ticks: readonly Tick[];
  readonly isNarrow: boolean;
  /** Errors and logs by the key of their row. */
  readonly marksOf: ReadonlyMap<string, readonly PlacedMark[]>;
  /** Keys of the rows with spans that the search found. */
  readonly matches: ReadonlySet<string>;
  readonly selected: string | undefined;
  /** A request to bring a span into view. A new object is a new request. */
  readonly scrollRequest: ScrollRequest | undefined;
  readonly axis: ReactNode;
  /** Gets the key of the row that the keyboard is at. */
  readonly active: RefObject<string | undefined>;
  onSelect(key: string): void;
  onToggle(key: string): void;
  /** Called for keys that the tree does not use. */
  onKeyDown(event: KeyboardEvent): void;
}

export interface ScrollRequest {
  readonly key: string;
  /** Whether the row gets the focus. */
  readonly takesFocus: boolean;
}

/**
 * The spans of a trace as a tree grid beside their time axis. Only rows in sight are rendered. Keys as in
 * https://www.w3.org/WAI/ARIA/apg/patterns/treegrid/.
 */
export function Waterfall(props: WaterfallProps) {
  const { trace, rows, window, ticks, isNarrow, marksOf, selected, scrollRequest } = props;
  const frame = useRef<HTMLDivElement>(null);
  const heads = useRef<HTMLDivElement>(null);
  const [activeKey, setActiveKey] = useState<string>();
  const indexOf = useMemo(() => new Map(rows.map(({ key }, i) => [key, i])), [rows]);
  const activeIndex = indexOf.get(activeKey ?? selected ?? "") ?? 0;
  props.active.current = activeKey ?? selected;
  const self = useMemo(
    () => new Map([...selfParts(trace.tree, trace.times)].map(([node, own]) => [node, [own]])),
    [trace],
  );
  const rowPx = isNarrow ? NARROW_ROW_PX : ROW_PX;
  const headsPx = heads.current?.offsetHeight ?? 0;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
    scrollMargin: headsPx,
    scrollPaddingStart: headsPx,
    rangeExtractor: (range) => withActiveRow(range, activeIndex),
  });
  useEffect(() => virtual.measure(), [rowPx]);

  // A row that was far away is in the document only after the next render.
  const [focusRequest, setFocusRequest] = useState<object>();
  const focused = useRef<object>(undefined);
  useLayoutEffect(() => {
    if (focusRequest === focused.current) return;
    const row = frame.current?.querySelector<HTMLElement>('[role="row"][tabindex="0"]');
    if (row) focused.current = focusRequest;
    row?.focus({ preventScroll: true });
  });

  const showRow = (index: number, takesFocus: boolean) => {
    const key = rows[index]?.key;
    if (key === undefined) return;
    setActiveKey(key);
    virtual.scrollToIndex(index);
    if (takesFocus) setFocusRequest({});
  };
  // Before the next key, which steps on from this row.
  useLayoutEffect(() => {
    const index = scrollRequest && indexOf.get(scrollRequest.key);
    if (index === undefined) return;
    showRow(index, scrollRequest!.takesFocus);
    // On a phone the waterfall may be below the fold.
    if (scrollRequest!.takesFocus) frame.current?.scrollIntoView({ block: "nearest" });
  }, [scrollRequest]);

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const page = Math.max(
      1,
      Math.floor((frame.current?.clientHeight ?? 0) / rowPx) - 2,
    );
    const target = rowForKey(event.key, { active: activeIndex, count: rows.length, page });
    const row = rows[activeIndex];
    if (target !== undefined) showRow(target, true);
    else if (event.key === "ArrowRight") {
      if (row?.expanded === false) props.onToggle(row.key);
      else if (row?.expanded) showRow(activeIndex + 1, true);
    } else if (event.key === "ArrowLeft") {
      if (row?.expanded) props.onToggle(row.key);
      else if (row && row.depth > 0) showRow(parentIndex(rows, activeIndex), true);
    } else if (event.key === "Enter" || event.key === " ") {
      if (row) props.onSelect(row.key);
    } else return props.onKeyDown(event);
    event.preventDefault();
  };

  /** The row in which an element is. */
  const rowAt = (element: Element): WaterfallRow | undefined => {
    const number = element.closest<HTMLElement>("[data-row-number]")?.dataset.rowNumber;
    return number === undefined ? undefined : rows[Number(number) - 1];
  };
  const onClick = (event: MouseEvent) => {
    const target = event.target as Element;
    const row = rowAt(target);
    if (row === undefined) return;
    if (target.closest("[data-toggle]")) props.onToggle(row.key);
    else props.onSelect(row.key);
  };

  return (
    <div className="waterfall" ref={frame}>
      <div className="wf-head wf-cols quiet" ref={heads}>
        <span className="wf-name small">
          {wholeText(trace)}
        </span>
        {props.axis}
      </div>
      <div
        role="treegrid"
        aria-label="Spans of the trace"
        aria-rowcount={rows.length}
        className="wf-rows"
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onFocus={({ target }) => setActiveKey(rowAt(target)?.key)}
      >
        <GridLines window={window} origin={trace.origin_ms} ticks={ticks} />
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index]!;
          const { node, repetition } = row;
          const application = props.applications.get(node.span?.application ?? "");
          const caller = props.applications.get(node.parent?.span?.application ?? "");
          return (
            <SpanRow
              key={key}
              row={row}
              number={index + 1}
              time={trace.times.byNode.get(node)!}
              application={application === caller ? undefined : application}
              self={repetition?.runs ?? self.get(node) ?? NO_PARTS}
              window={window}
              origin={trace.origin_ms}
              marks={marksOf.get(row.key) ?? NO_MARKS}
              isSelected={row.key === selected}
              isMatch={props.matches.has(row.key)}
              isTabStop={index === activeIndex}
              top={start - headsPx}
              height={rowPx}
            />
          );
        })}
      </div>
    </div>
  );
}

function parentIndex(rows: readonly WaterfallRow[], index: number): number {
  const { depth } = rows[index]!;
  return rows.findLastIndex((row, i) => i < index && row.depth < depth);
}

/** Vertical lines below the ticks. */
const GridLines = memo(function GridLines({ window, origin, ticks }: {
  window: Extent;
  origin: number;
  ticks: readonly Tick[];
}) {
  return (
    <div className="wf-cols wf-lines cover" role="presentation">
      <div className="track">
        {ticks.map(({ offset_ms }) => (
          <i key={offset_ms} style={{ left: `${percentAt(window, origin + offset_ms)}%` }} />
        ))}
      </div>
    </div>
  );
});
