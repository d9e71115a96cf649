import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type UIEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { formatCount } from "../../components/format.ts";
import { holdRows } from "./held_rows.ts";
import type { LogRow } from "../../monitoring/models/rows.ts";
import { LogRowGroup } from "./row.tsx";
import { SettledText } from "../shared/SettledText.tsx";

/** Pixels of a row that has not been measured: 24 px of line and a hairline. */
const ROW_PX = 29;
/** Rows beyond the edges of what is seen, so that fast scrolling finds them there. */
const OVERSCAN = 12;
/** Older rows are asked for this many rows before the end. */
const AHEAD = 30;
/** Rows of a step by Page Up and Page Down. */
const PAGE = 10;

/** Each cell's class, and what stands above it. */
const HEADS = [["at", "Time"], ["lv", "Level"], ["says", "Message"], ["in", "Trace"]] as const;

const keyOf = ({ envelope, index }: LogRow) => `${envelope} ${index}`;

/**
 * Logs as a tree of two levels: lines, each of which opens to its details. Only rows that are seen are in the document.
 * By keyboard as WAI-ARIA has it for trees (https://www.w3.org/WAI/ARIA/apg/patterns/treegrid/): one stop of
 * the Tab key, then arrows.
 *
 * A reader at the top follows what comes. Further down nothing moves: what is new is counted at the top.
 */
export function LogTree({ rows, more }: { rows: readonly LogRow[]; more?: () => void }) {
  const frame = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState<string>();
  const before = useRef(rows);
  const held = holdRows(rows, top, before.current, keyOf);
  before.current = held.rows;

  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState<string>();
  const wantsFocus = useRef(false);
  const isReturning = useRef(false);
  const activeIndex = Math.max(0, held.rows.findIndex((row) => keyOf(row) === active));

  const virtual = useVirtualizer({
    count: held.rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => keyOf(held.rows[index]!),
    overscan: OVERSCAN,
    // The heads, which stand above the first row and stay at the top.
    scrollPaddingEnd: ROW_PX,
    // The row that has the focus stays in the document: with it the focus would go.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), activeIndex])].sort((one, other) =>
        one - other
      ),
  });
  const items = virtual.getVirtualItems();
  const isNearEnd = (items.at(-1)?.index ?? 0) >= held.rows.length - AHEAD;
  useEffect(() => {
    if (isNearEnd) more?.();
  }, [isNearEnd, more]);

  // A row that was far away comes into the document only after the list has scrolled to it.
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    const row = frame.current?.querySelector<HTMLElement>('[role="row"][tabindex="0"]');
    if (!row) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

  const release = () => {
    setOpen(new Set());
    setTop(undefined);
    if (!rows[0]) return;
    // The button that had it goes.
    wantsFocus.current = true;
    setActive(keyOf(rows[0]));
  };
  // Nothing is put in above before the list has arrived at the top: it would be held where it stands.
  const follow = () => {
    if (!frame.current || frame.current.scrollTop <= 1) return release();
    isReturning.current = true;
    frame.current.scrollTo({ top: 0 });
  };
  const onScroll = ({ currentTarget: { scrollTop } }: UIEvent<HTMLElement>) => {
    if (scrollTop > 1) setTop((held) => held ?? (rows[0] && keyOf(rows[0])));
    else if (isReturning.current) release();
    else if (open.size === 0) setTop(undefined);
    if (scrollTop <= 1) isReturning.current = false;
  };
  const toggle = (key: string, wanted = !open.has(key)) => {
    const next = new Set(open);
    if (wanted) next.add(key);
    else next.delete(key);
    setOpen(next);
    // Nor does anything move under who reads an opened log.
    if (frame.current && frame.current.scrollTop > 1) return;
    setTop(next.size > 0 && held.rows[0] ? keyOf(held.rows[0]) : undefined);
  };
  const focusRow = (index: number) => {
    const row = held.rows[Math.min(Math.max(index, 0), held.rows.length - 1)];
    if (!row) return;
    wantsFocus.current = true;
    setActive(keyOf(row));
    virtual.scrollToIndex(held.rows.indexOf(row));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const key = keyOf(held.rows[activeIndex]!);
    if (target.getAttribute("role") !== "row") {
      // From within the details back to their line.
      if (event.key === "Escape") focusRow(activeIndex);
      return;
    }
    const act: Record<string, () => void> = {
      ArrowDown: () => focusRow(activeIndex + 1),
      ArrowUp: () => focusRow(activeIndex - 1),
      PageDown: () => focusRow(activeIndex + PAGE),
      PageUp: () => focusRow(activeIndex - PAGE),
      Home: () => focusRow(0),
      End: () => focusRow(held.rows.length - 1),
      ArrowRight: () => toggle(key, true),
      ArrowLeft: () => toggle(key, false),
      Escape: () => toggle(key, false),
      Enter: () => toggle(key),
      " ": () => toggle(key),
    };
    if (!Object.hasOwn(act, event.key)) return;
    event.preventDefault();
    act[event.key]!();
  };

  const news = (held.orMore ? "More than " : "") + formatCount(held.fresh, "new log");
  return (
    <div className="log-tree">
      <p>
        {held.fresh > 0 && <button type="button" onClick={follow}>{news}: show</button>}
      </p>
      <SettledText text={held.fresh > 0 ? `${news}, not shown yet` : ""} />
      <div
        ref={frame}
        className="frame"
        role="treegrid"
        aria-label="Logs, newest first"
        aria-rowcount={more ? -1 : held.rows.length + 1}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        onScroll={onScroll}
      >
        <div role="rowgroup" className="heads">
          <div role="row" className="log-line">
            {HEADS.map(([name, title]) => (
              <span key={name} role="columnheader" className={name}>{title}</span>
            ))}
          </div>
        </div>
        <div role="presentation" style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {items.map(({ index, start, key }) => {
            const row = held.rows[index]!;
            const name = String(key);
            return (
              <div
                key={name}
                role="rowgroup"
                className="log"
                data-index={index}
                ref={virtual.measureElement}
                style={{ transform: `translateY(${start}px)` }}
              >
                <LogRowGroup
                  row={row}
                  index={index}
                  isOpen={open.has(name)}
                  isActive={index === activeIndex}
                  onFocus={() => setActive(name)}
                  onToggle={() => toggle(name)}
                />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
