import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { percentAt } from "./bar.ts";
import { SpanRow } from "./SpanRow.tsx";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";
import type { Tick } from "../../monitoring/models/trace/time_window.ts";
import type { PlacedMark, Trace } from "../../monitoring/models/trace/trace.ts";
import type { WaterfallRow } from "../../monitoring/models/trace/waterfall.ts";
import { useNarrow } from "./narrow.ts";

/** Pixels: the page's line, and two of them where the bar stands below the name. */
const ROW_PX = 24;
const NARROW_ROW_PX = 44;
/** Rows beyond the edge that are drawn, so that scrolling shows no blank. More of them make every step of it slower. */
const OVERSCAN = 12;
/** The same each time, as what a line is given. */
const NO_MARKS: readonly PlacedMark[] = [];

export interface WaterfallProps {
  readonly trace: Trace;
  readonly rows: readonly WaterfallRow[];
  readonly window: Extent;
  readonly ticks: readonly Tick[];
  readonly marksOf: ReadonlyMap<string, readonly PlacedMark[]>;
  /** Keys of spans that the search has found. */
  readonly found: ReadonlySet<string>;
  readonly chosen: string | undefined;
  /** The row to bring into sight: each new object does so once. */
  readonly goal: { readonly key: string; readonly focus: boolean } | undefined;
  readonly axis: ReactNode;
  onChoose(key: string): void;
  onToggle(key: string): void;
  /** Keys that the tree does not take itself. */
  onKeyDown(event: KeyboardEvent): void;
}

/** The spans of a trace as a tree grid beside their times; only what is in sight is drawn. */
export function Waterfall(props: WaterfallProps) {
  const { trace, rows, window, ticks, marksOf, found, chosen, goal, axis } = props;
  const frame = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLDivElement>(null);
  const narrow = useNarrow();
  const [activeKey, setActive] = useState<string>();
  const [focused, setFocused] = useState<{ key: string }>();
  const places = useMemo(() => new Map(rows.map(({ node }, i) => [node.key, i])), [rows]);
  const active = places.get(activeKey ?? chosen ?? "") ?? 0;
  const size = narrow ? NARROW_ROW_PX : ROW_PX;

  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => size,
    overscan: OVERSCAN,
    // The axis sticks above the rows.
    scrollPaddingStart: head.current?.offsetHeight ?? 0,
    // The row that has the focus stays, however far it is scrolled away.
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const first = Math.max(0, startIndex - overscan);
      const last = Math.min(count - 1, endIndex + overscan);
      const range = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
      return active < count && (active < first || active > last) ? [...range, active] : range;
    },
  });
  useEffect(() => list.measure(), [size]);

  const show = (index: number, focus: boolean) => {
    const key = rows[index]?.node.key;
    if (key === undefined) return;
    setActive(key);
    list.scrollToIndex(index);
    if (focus) setFocused({ key });
  };
  useEffect(() => {
    const index = goal && places.get(goal.key);
    if (index !== undefined) show(index, goal!.focus);
  }, [goal]);
  // Once it is drawn.
  const activeRow = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (focused) activeRow.current?.focus({ preventScroll: true });
  }, [focused]);

  const page = Math.max(1, Math.floor((frame.current?.clientHeight ?? 0) / size) - 2);
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const row = rows[active];
    const to = targetOf(event.key, active, rows.length, page);
    if (to !== undefined) show(to, true);
    else if (event.key === "ArrowRight" && row?.expanded === false) props.onToggle(row.node.key);
    else if (event.key === "ArrowRight" && row?.expanded) show(active + 1, true);
    else if (event.key === "ArrowLeft" && row?.expanded) props.onToggle(row.node.key);
    else if (event.key === "ArrowLeft" && row?.node.parent) {
      show(places.get(row.node.parent.key) ?? 0, true);
    } else if ((event.key === "Enter" || event.key === " ") && row) props.onChoose(row.node.key);
    else if (event.key.startsWith("Arrow")) {
      /* At an end of the tree: nothing, and no scrolling. */
    } else return props.onKeyDown(event);
    event.preventDefault();
  };

  /** The span of the line that an element stands in. */
  const keyAt = (element: Element): string | undefined => {
    const line = element.closest<HTMLElement>("[data-line]")?.dataset.line;
    return line === undefined ? undefined : rows[Number(line) - 1]?.node.key;
  };
  const onClick = ({ target }: { target: EventTarget }) => {
    const key = keyAt(target as Element);
    if (key === undefined) return;
    if ((target as Element).closest("[data-twist]")) props.onToggle(key);
    else props.onChoose(key);
  };

  return (
    <div className="waterfall" ref={frame}>
      <div className="wf-head wf-cols" ref={head}>
        <span>Span</span>
        <span className="wf-took">Lasts</span>
        {axis}
      </div>
      <div
        role="treegrid"
        aria-label="Spans of the trace"
        aria-rowcount={rows.length}
        className="wf-rows"
        style={{ height: list.getTotalSize() }}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onFocus={({ target }) => setActive(keyAt(target))}
      >
        <Lines window={window} origin={trace.start_ms} ticks={ticks} />
        {list.getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index]!;
          const { node } = row;
          return (
            <SpanRow
              key={key}
              {...(index === active && { ref: activeRow })}
              row={row}
              index={index + 1}
              time={trace.times.of.get(node)!}
              window={window}
              origin={trace.start_ms}
              marks={marksOf.get(node.key) ?? NO_MARKS}
              chosen={node.key === chosen}
              found={found.has(node.key)}
              active={index === active}
              top={start}
              height={size}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Thin lines down from the ticks. */
const Lines = memo(function Lines({ window, origin, ticks }: {
  window: Extent;
  origin: number;
  ticks: readonly Tick[];
}) {
  return (
    <div className="wf-cols wf-lines" role="presentation">
      <div className="track">
        {ticks.map(({ offset_ms }) => (
          <i key={offset_ms} style={{ left: `${percentAt(window, origin + offset_ms)}%` }} />
        ))}
      </div>
    </div>
  );
});

/** Where a key leads, as a line; undefined: it is no key that leads to another line. */
function targetOf(key: string, at: number, count: number, page: number): number | undefined {
  const to = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  }[key];
  return to === undefined ? undefined : Math.min(count - 1, Math.max(0, to));
}
