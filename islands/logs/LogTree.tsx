import { type KeyboardEvent, type UIEvent, useEffect, useRef, useState } from "react";
import { formatCount } from "../../components/format.ts";
import type { LogRow as Log } from "../../monitoring/models/rows.ts";
import { SettledText } from "../shared/SettledText.tsx";
import { useShowsSources } from "../shared/SourceLabel.tsx";
import { rowForKey, useVirtualRows } from "../kit/use_virtual_rows.ts";
import { LogRow } from "./LogRow.tsx";

/** Estimated height of a row in pixels: a line of 24 px and a border. */
const ROW_PX = 25;
/** Older rows are requested when the reader is this many rows from the end. */
const LOAD_AHEAD = 30;
/** Rows that Page Up and Page Down move by. */
const PAGE = 10;

/** Class of each cell, and the title above it. */
const COLUMNS = [
  ["at", "Time"],
  ["lv", "Level"],
  ["log-source", "Source"],
  ["log-message", "Message"],
  ["log-attributes", "Attributes"],
  ["trace-link", "Trace"],
] as const;

const keyOf = ({ envelope, index }: Log) => `${envelope} ${index}`;

/**
 * Logs as a tree of two levels: lines, and details below an expanded line. Only rows in sight are rendered. Keys as in
 * https://www.w3.org/WAI/ARIA/apg/patterns/treegrid/.
 *
 * While the reader is at the top, new logs appear there. Further down, new logs are only counted: rows that are being
 * read do not move.
 *
 * @param props.more requests older logs; undefined: there are none
 */
export function LogTree({ rows: newestRows, more }: {
  rows: readonly Log[];
  more?: () => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const heads = useRef<HTMLDivElement>(null);
  /** Key of the newest row that is shown; undefined: the reader is at the top. */
  const [heldAt, setHeldAt] = useState<string>();
  const rowsBefore = useRef(newestRows);
  const { rows, newCount, hasMore } = holdRows(newestRows, heldAt, rowsBefore.current, keyOf);
  rowsBefore.current = rows;

  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [activeKey, setActiveKey] = useState<string>();
  const isScrollingToTop = useRef(false);
  const activeIndex = Math.max(0, rows.findIndex((row) => keyOf(row) === activeKey));

  const virtual = useVirtualRows({
    frame,
    heads,
    count: rows.length,
    rowPx: ROW_PX,
    activeIndex,
    keyOf: (index) => keyOf(rows[index]!),
  });
  const isNearEnd = (virtual.items.at(-1)?.index ?? 0) >= rows.length - LOAD_AHEAD;
  useEffect(() => {
    if (isNearEnd) more?.();
  }, [isNearEnd, more]);

  const showNewRows = () => {
    setExpanded(new Set());
    setHeldAt(undefined);
    if (!newestRows[0]) return;
    // The button that was pressed, and had the focus, disappears.
    setActiveKey(keyOf(newestRows[0]));
    virtual.focusActiveRow();
  };
  const onShowNew = () => {
    if (!frame.current || frame.current.scrollTop <= 1) return showNewRows();
    // Rows that are added above before the scrolling ends would move the list down again.
    isScrollingToTop.current = true;
    frame.current.scrollTo({ top: 0 });
  };
  const onScroll = ({ currentTarget: { scrollTop } }: UIEvent<HTMLElement>) => {
    if (scrollTop > 1) {
      setHeldAt((held) => held ?? (newestRows[0] && keyOf(newestRows[0])));
      return;
    }
    if (isScrollingToTop.current) showNewRows();
    else if (expanded.size === 0) setHeldAt(undefined);
    isScrollingToTop.current = false;
  };

  const setRowExpanded = (key: string, isExpanded: boolean) => {
    const next = new Set(expanded);
    if (isExpanded) next.add(key);
    else next.delete(key);
    setExpanded(next);
    if (frame.current && frame.current.scrollTop > 1) return;
    // An expanded log must not move either.
    setHeldAt(next.size > 0 && rows[0] ? keyOf(rows[0]) : undefined);
  };
  const focusRow = (index: number) => {
    const row = rows[index];
    if (!row) return;
    setActiveKey(keyOf(row));
    virtual.scrollToRow(index);
    virtual.focusActiveRow();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if ((event.target as HTMLElement).getAttribute("role") !== "row") {
      // From a link in the details back to their row.
      if (event.key === "Escape") focusRow(activeIndex);
      return;
    }
    const key = keyOf(rows[activeIndex]!);
    const target = rowForKey(event.key, { active: activeIndex, count: rows.length, page: PAGE });
    if (target !== undefined) focusRow(target);
    else if (event.key === "ArrowRight") setRowExpanded(key, true);
    else if (event.key === "ArrowLeft" || event.key === "Escape") setRowExpanded(key, false);
    else if (event.key === "Enter" || event.key === " ") setRowExpanded(key, !expanded.has(key));
    else return;
    event.preventDefault();
  };

  const showsSources = useShowsSources();
  const columns = COLUMNS.filter(([name]) => showsSources || name !== "log-source");
  const newLogs = (hasMore ? "more than " : "") + formatCount(newCount, "new log");
  return (
    <div className={showsSources ? "log-tree of-sources" : "log-tree"}>
      <p>
        {newCount > 0 && <button type="button" onClick={onShowNew}>Show {newLogs}</button>}
      </p>
      <SettledText text={newCount > 0 ? `${newLogs}, not shown yet` : ""} />
      <div
        ref={frame}
        className="frame"
        role="treegrid"
        aria-label="Logs, newest first"
        aria-rowcount={more ? -1 : rows.length + 1}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        onScroll={onScroll}
      >
        <div role="rowgroup" className="heads" ref={heads}>
          <div role="row" className="log-line">
            {columns.map(([name, title]) => (
              <span key={name} role="columnheader" className={name}>{title}</span>
            ))}
          </div>
        </div>
        <div role="presentation" style={{ height: virtual.height, position: "relative" }}>
          {virtual.items.map(({ index, top }) => {
            const log = rows[index]!;
            const key = keyOf(log);
            const isExpanded = expanded.has(key);
            return (
              <div
                key={key}
                role="rowgroup"
                className="log"
                data-index={index}
                ref={virtual.measureRow}
                style={{ transform: `translateY(${top}px)` }}
              >
                <LogRow
                  log={log}
                  index={index}
                  isExpanded={isExpanded}
                  isTabStop={index === activeIndex}
                  onFocus={() => setActiveKey(key)}
                  onToggle={() => setRowExpanded(key, !isExpanded)}
                />
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** The rows to show, and how many newer ones are held back. */
interface HeldRows<Row> {
  readonly rows: readonly Row[];
  readonly newCount: number;
  /** There may be more new rows than `newCount`: the list holds only the newest ones. */
  readonly hasMore: boolean;
}

/**
 * Holds newer rows back while the reader is not at the top.
 *
 * @param newestRows all rows that are loaded, newest first
 * @param heldAt key of the newest row that the reader has seen; undefined: nothing is held back
 * @param before the rows on the screen
 */
function holdRows<Row>(
  newestRows: readonly Row[],
  heldAt: string | undefined,
  before: readonly Row[],
  keyOf: (row: Row) => string,
): HeldRows<Row> {
  if (heldAt === undefined || newestRows.length === 0) {
    return { rows: newestRows, newCount: 0, hasMore: false };
  }
  const index = newestRows.findIndex((row) => keyOf(row) === heldAt);
  if (index >= 0) return { rows: newestRows.slice(index), newCount: index, hasMore: false };
  return { rows: before, newCount: newestRows.length, hasMore: true };
}
