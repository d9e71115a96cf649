import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** Rows rendered beyond each edge, so that fast scrolling shows no blank. More rows make each frame slower. */
const OVERSCAN = 8;

interface VirtualRowsOptions {
  /** The element that scrolls. It contains the column heads and, below them, the rows. */
  readonly frame: RefObject<HTMLElement | null>;
  /** The column heads, which stick to the top of the frame. */
  readonly heads: RefObject<HTMLElement | null>;
  readonly count: number;
  /** Height of a row in pixels. */
  readonly rowPx: number;
  /** Index of the row with the tab stop. It is always rendered: otherwise scrolling would lose the focus. */
  readonly activeIndex: number;
}

/**
 * The rows of the waterfall that are in sight.
 *
 * @returns `items` to render at `top` pixels below the heads, in an element `height` pixels high
 */
export function useVirtualRows(
  { frame, heads, count, rowPx, activeIndex }: VirtualRowsOptions,
) {
  const headsPx = heads.current?.offsetHeight ?? 0;
  const list = useVirtualizer({
    count,
    getScrollElement: () => frame.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
    scrollMargin: headsPx,
    scrollPaddingStart: headsPx,
    rangeExtractor: (range) => withActiveRow(range, activeIndex),
  });

  // A row that was far away is in the document only after the next render.
  const [focusRequest, setFocusRequest] = useState<object>();
  const focused = useRef<object>(undefined);
  useLayoutEffect(() => {
    if (focusRequest === focused.current) return;
    const row = frame.current?.querySelector<HTMLElement>('[role="row"][tabindex="0"]');
    if (!row) return;
    focused.current = focusRequest;
    row.focus({ preventScroll: true });
  });

  return {
    items: list.getVirtualItems().map(({ index, key, start }) => ({
      index,
      key,
      top: start - headsPx,
    })),
    height: list.getTotalSize(),
    /** Forgets all heights: `rowPx` has changed. */
    resetHeights: () => list.measure(),
    scrollToRow: (index: number) => list.scrollToIndex(index),
    /** Focuses the active row once it is rendered. */
    focusActiveRow: () => setFocusRequest({}),
  };
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
