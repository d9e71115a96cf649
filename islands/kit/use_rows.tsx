import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { goTo, useIsVisible } from "../data/fragment.ts";
import type { View } from "../data/view.ts";
import { isShown, useStepKeys } from "./use_keys.ts";

/** A row's place in its table. */
export interface RowPlace {
  readonly rowKey: string;
  readonly index: number;
  /** The row's link is in the tab order. */
  readonly isTabStop: boolean;
  /** Its detail is open. */
  readonly isOpen: boolean;
  readonly measure: (row: HTMLTableRowElement | null) => void;
}

/** Rows rendered beyond each edge of the frame, so that fast scrolling shows no blank. */
const OVERSCAN = 4;
/** Height of a row before one was rendered, in pixels: one line. */
const FIRST_ROW_PX = 32;

/**
 * The rows of a table: of many, those in sight. One row's link is in the tab order (roving tabindex,
 * https://www.w3.org/WAI/ARIA/apg/practices/keyboard-interface/). Arrows, Page Up, Page Down, Home and End move the
 * focus; j and k do so from anywhere in the view, or open the next detail while one is open and the list is not covered;
 * J and K always open the next detail.
 *
 * @param frame the element that scrolls
 * @returns `render` makes the content of the table's body; the handlers are for the frame
 */
export function useRows<Row>(
  frame: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  { view, keyOf, hrefOf, openKey, rowsMove }: {
    readonly view: View;
    readonly keyOf: (row: Row) => string;
    readonly hrefOf: (row: Row) => string;
    readonly openKey: string | undefined;
    readonly rowsMove: boolean;
  },
) {
  const keys = rows.map(keyOf);
  const [active, setActive] = useState(openKey);
  /** The row whose detail was opened last. Once resolved it is not in the list: its index remains. */
  const opened = useRef({ key: openKey, index: -1 });
  const openIndex = openKey === undefined ? -1 : keys.indexOf(openKey);
  if (openIndex !== -1) opened.current = { key: openKey, index: openIndex };
  const isOpenedActive = active !== undefined && active === opened.current.key;
  const found = active === undefined ? 0 : keys.indexOf(active);
  const activeIndex = found === -1 && isOpenedActive
    ? Math.max(0, Math.min(opened.current.index, keys.length - 1))
    : Math.max(0, found);
  const [headPx, setHeadPx] = useState(0);
  /** Estimated height of rows that were not rendered: most are as high as the first. */
  const [rowPx, setRowPx] = useState(FIRST_ROW_PX);
  const isVisible = useIsVisible(view);
  const last = useRef({ firstKey: keys[0], top: 0 });
  // Rows that arrive above the frame's edge do not move those in sight. The browser would anchor the scroll position only
  // to what was rendered when the user scrolled, so the table has none of it (list.css).
  const hasArrivals = !rowsMove && keys[0] !== last.current.firstKey;
  const virtual = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    getScrollElement: () => frame.current,
    anchorTo: hasArrivals && last.current.top > 0 ? "end" : "start",
    count: keys.length,
    estimateSize: () => rowPx,
    getItemKey: (index) => keys[index]!,
    overscan: OVERSCAN,
    scrollMargin: headPx,
    scrollPaddingStart: headPx,
    initialRect: { width: 0, height: screen.height },
    // Rows of a hidden view have no height.
    useCachedMeasurements: !isVisible,
    rangeExtractor: (range) => withActiveRow(range, activeIndex),
  });
  last.current = { firstKey: keys[0], top: virtual.scrollOffset ?? 0 };
  /** Of the first row when the list was last at its top. */
  const seenKey = useRef(keys[0]);
  const newCount = rowsMove || last.current.top <= 1 ? 0 : keys.indexOf(seenKey.current!);
  if (newCount <= 0) seenKey.current = keys[0];

  useLayoutEffect(() => {
    const body = frame.current?.querySelector("tbody");
    if (!isVisible || !body) return;
    setHeadPx(body.offsetTop);
    const row = body.querySelector<HTMLElement>("[data-index]");
    if (row && rowPx === FIRST_ROW_PX) setRowPx(row.offsetHeight);
  });

  const focusRequest = useRef(false);
  const focusRow = (index: number) => {
    focusRequest.current = true;
    setActive(keys[index]);
    virtual.scrollToIndex(index);
  };
  // The detail that was closed has no element any more that could have the focus.
  const wasOpen = useRef(openKey);
  useLayoutEffect(() => {
    const closed = openKey === undefined ? wasOpen.current : undefined;
    wasOpen.current = openKey;
    if (openKey !== undefined) setActive(openKey);
    if (closed === undefined || document.activeElement !== document.body) return;
    focusRequest.current = true;
    setActive(closed);
  }, [openKey]);

  useLayoutEffect(() => {
    if (!focusRequest.current) return;
    const link = frame.current?.querySelector<HTMLElement>('a.row-link[tabindex="0"]');
    if (link) focusRequest.current = false;
    link?.focus({ preventScroll: true });
  });

  useStepKeys(["jk", "JK"], (by, pair) => {
    // A trace has the keys j and k for its spans. It may cover the list.
    const isActive = pair === "JK"
      ? openKey !== undefined && isVisible
      : isShown(frame.current) && (openKey === undefined || view !== "traces");
    if (keys.length === 0 || !isActive) return false;
    // A row that has left the list was before the one that now has its index.
    const left = opened.current.key === openKey ? opened.current.index - (by === 1 ? 1 : 0) : -1;
    const from = openKey === undefined ? activeIndex : openIndex === -1 ? left : openIndex;
    const to = Math.min(keys.length - 1, Math.max(0, from + by));
    const hasFocus = frame.current?.contains(document.activeElement);
    if (openKey !== undefined) {
      virtual.scrollToIndex(to);
      if (to !== from) goTo(hrefOf(rows[to]!), { replace: true });
    } else focusRow(hasFocus ? to : activeIndex);
    return true;
  });

  return {
    /** Rows that have arrived above the frame's edge. */
    newCount: Math.max(0, newCount),
    showNewest: () => focusRow(0),
    render(row: (place: RowPlace, row: Row) => ReactNode): ReactNode {
      const parts: ReactNode[] = [];
      let end = headPx;
      const skipTo = (start: number) => {
        if (start > end) parts.push(<Unrendered key={`rows ${parts.length}`} px={start - end} />);
      };
      for (const { index, start, end: rowEnd } of virtual.getVirtualItems()) {
        skipTo(start);
        const rowKey = keys[index]!;
        const place = {
          rowKey,
          index,
          isTabStop: index === activeIndex,
          isOpen: rowKey === openKey,
        };
        parts.push(row({ ...place, measure: virtual.measureElement }, rows[index]!));
        end = rowEnd;
      }
      skipTo(headPx + virtual.getTotalSize());
      return parts;
    },
    onFocus({ target }: SyntheticEvent<HTMLElement>) {
      const { row } = (target as HTMLElement).dataset;
      if (row !== undefined) setActive(row);
    },
    onKeyDown(event: KeyboardEvent<HTMLElement>) {
      if (!(event.target as Element).matches("a.row-link")) return;
      const page = Math.max(1, Math.floor(event.currentTarget.clientHeight / rowPx) - 2);
      const to = rowForKey(event.key, { active: activeIndex, count: keys.length, page });
      if (to === undefined) return;
      event.preventDefault();
      focusRow(to);
    },
  };
}

/** Takes the space of rows that are not rendered. */
function Unrendered({ px }: { px: number }) {
  return (
    <tr className="unrendered" aria-hidden="true">
      <td style={{ height: px }} />
    </tr>
  );
}

/** Indices of the rows in a range, and of the row with the tab stop. */
export function withActiveRow(range: Range, activeIndex: number): number[] {
  const shown = defaultRangeExtractor(range);
  if (activeIndex >= range.count || shown.includes(activeIndex)) return shown;
  return activeIndex < range.startIndex ? [activeIndex, ...shown] : [...shown, activeIndex];
}

/**
 * Index of the row that a key moves to, within the list; undefined for other keys.
 *
 * @param page rows that Page Up and Page Down move by
 */
export function rowForKey(
  key: string,
  { active, count, page }: { active: number; count: number; page: number },
): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: count - 1,
  };
  const target = Object.hasOwn(targets, key) ? targets[key] : undefined;
  return target === undefined ? undefined : Math.min(count - 1, Math.max(0, target));
}
