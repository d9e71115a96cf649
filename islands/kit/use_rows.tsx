import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual";
import {
  type FocusEvent,
  Fragment,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { goTo, useIsVisible } from "../data/fragment.ts";
import type { ConsoleList } from "../data/lists.ts";
import { useView } from "../data/view.ts";
import { isShown, rowForKey, useStepKeys } from "./use_keys.ts";

export interface RowPlace {
  readonly rowKey: string;
  readonly index: number;
  readonly isTabStop: boolean;
  readonly isOpen: boolean;
  /** For each row that an element gets. @returns for when the element gets another row */
  readonly measure: (row: HTMLTableRowElement) => () => void;
}

/** Rows rendered beyond each edge of the frame, so that fast scrolling shows no blank. */
const OVERSCAN = 4;
/** Height of a row before one was rendered, in pixels: one line. */
const FIRST_ROW_PX = 32;

/**
 * The rows of a table: of many, those in sight. One row's link is in the tab order (roving tabindex,
 * https://www.w3.org/WAI/ARIA/apg/practices/keyboard-interface/). Arrows, Page Up, Page Down, Home and End move the
 * focus; j and k do so from anywhere in the view, or open the next detail while one is open; J and K always do that.
 *
 * @param frame the element that scrolls
 * @returns `render` makes the content of the table's body; the handlers are for the frame
 */
export function useRows<Row>(
  frame: RefObject<HTMLElement | null>,
  list: ConsoleList<Row>,
  { hrefOf, openKey }: {
    readonly hrefOf: (row: Row) => string;
    readonly openKey: string | undefined;
  },
) {
  const { id } = useView();
  const { keyOf } = list;
  const isVisible = useIsVisible();
  const scrolledPx = useRef(0);
  const { rows, newCount } = useSettledRows(list, scrolledPx.current <= 1);
  const keys = useMemo(() => rows.map(keyOf), [rows]);
  const [active, setActive] = useState(openKey);
  const activeIndex = useLastIndex(keys, active);
  const { virtual, headPx, rowPx, measure } = useVirtualRows(frame, keys, activeIndex, isVisible);
  const elements = useRef<ReadonlyMap<string, number>>(new Map());
  scrolledPx.current = virtual.scrollOffset ?? 0;
  useLayoutEffect(() => virtual.scrollToOffset(0), [list.of]);

  const focusRequest = useRef(false);
  const focusRow = (key: string | undefined) => {
    focusRequest.current = true;
    setActive(key);
  };
  const moveTo = (index: number) => {
    focusRow(keys[index]);
    virtual.scrollToIndex(index);
  };
  // The detail that was closed has no element any more that could have the focus.
  const wasOpen = useRef(openKey);
  useLayoutEffect(() => {
    const closed = openKey === undefined ? wasOpen.current : undefined;
    wasOpen.current = openKey;
    if (openKey !== undefined) setActive(openKey);
    if (closed !== undefined && document.activeElement === document.body) focusRow(closed);
  }, [openKey]);
  useLayoutEffect(() => {
    if (!focusRequest.current) return;
    const link = frame.current?.querySelector<HTMLElement>('a.row-link[tabindex="0"]');
    if (link) focusRequest.current = false;
    link?.focus({ preventScroll: true });
  });

  useStepKeys(["jk", "JK"], (by, pair) => {
    const isOpen = openKey !== undefined;
    // A trace has the keys j and k for its spans.
    const isActive = isOpen
      ? isVisible && (pair === "JK" || id !== "traces")
      : pair === "jk" && isShown(frame.current);
    if (keys.length === 0 || !isActive) return false;
    const openIndex = isOpen ? keys.indexOf(openKey) : -1;
    // A row that has left the list was before the one that now has its index.
    const from = isOpen && openIndex === -1 && by === 1 ? activeIndex - 1 : activeIndex;
    const to = Math.min(keys.length - 1, Math.max(0, (openIndex === -1 ? from : openIndex) + by));
    if (isOpen) {
      virtual.scrollToIndex(to);
      if (to !== openIndex) goTo(hrefOf(rows[to]!), { replace: true });
    } else moveTo(frame.current?.contains(document.activeElement) ? to : activeIndex);
    return true;
  });

  return {
    rowCount: rows.length,
    newCount,
    showNewest() {
      scrolledPx.current = 0;
      virtual.scrollToOffset(0);
      focusRow(list.rows[0] && keyOf(list.rows[0]));
    },
    render(row: (place: RowPlace, row: Row) => ReactNode): ReactNode {
      const parts: ReactNode[] = [];
      let end = headPx;
      const skipTo = (start: number) => {
        if (start <= end) return;
        parts.push(
          <tr key={`rows ${parts.length}`} className="unrendered" aria-hidden="true">
            <td style={{ height: start - end }} />
          </tr>,
        );
      };
      const items = virtual.getVirtualItems();
      const shown = items.map(({ index }) => keys[index]!);
      elements.current = reuseElements(elements.current, shown, keys[activeIndex]);
      for (const { index, start, end: rowEnd } of items) {
        skipTo(start);
        const rowKey = keys[index]!;
        const place = {
          rowKey,
          index,
          isTabStop: index === activeIndex,
          isOpen: rowKey === openKey,
          measure,
        };
        parts.push(
          <Fragment key={elements.current.get(rowKey)}>{row(place, rows[index]!)}</Fragment>,
        );
        end = rowEnd;
      }
      skipTo(headPx + virtual.getTotalSize());
      return parts;
    },
    onFocus({ target }: FocusEvent<HTMLElement>) {
      const link = target.closest("tr")?.querySelector<HTMLElement>("a.row-link");
      if (link?.dataset.row !== undefined) setActive(link.dataset.row);
    },
    onKeyDown(event: KeyboardEvent<HTMLElement>) {
      if (!(event.target as Element).matches("a.row-link")) return;
      const page = Math.max(1, Math.floor(event.currentTarget.clientHeight / rowPx) - 2);
      const to = rowForKey(event.key, { active: activeIndex, count: keys.length, page });
      if (to === undefined) return;
      event.preventDefault();
      moveTo(to);
    },
  };
}

/** The rows as they follow the list at its top. Scrolled down, they keep their places, and new ones are counted. */
function useSettledRows<Row>(
  { rows: read, of, state, keyOf }: ConsoleList<Row>,
  isAtTop: boolean,
) {
  const last = useRef({ of: "", read, rows: read });
  const shown = `${of} ${state}`;
  let { rows } = last.current;
  if (isAtTop || last.current.of !== shown) rows = read;
  else if (last.current.read !== read) rows = inPlace(rows, read, keyOf);
  last.current = { of: shown, read, rows };
  return { rows, newCount: read.length - rows.length };
}

/** What was read, with the rows that are shown in their places, and of others only those after them. */
export function inPlace<Row>(
  shown: readonly Row[],
  read: readonly Row[],
  keyOf: (row: Row) => string,
): readonly Row[] {
  const byKey = new Map(read.map((row) => [keyOf(row), row]));
  const kept = shown.flatMap((row) => byKey.get(keyOf(row)) ?? []);
  const known: ReadonlySet<unknown> = new Set(kept);
  return [...kept, ...read.slice(read.findLastIndex((row) => known.has(row)) + 1)];
}

/** The index of a key. Of one that has left the list, such as a resolved error: that which it had. */
function useLastIndex(keys: readonly string[], key: string | undefined): number {
  const last = useRef(0);
  const index = key === undefined ? 0 : keys.indexOf(key);
  if (index !== -1) last.current = index;
  return Math.max(0, Math.min(last.current, keys.length - 1));
}

function useVirtualRows(
  frame: RefObject<HTMLElement | null>,
  keys: readonly string[],
  activeIndex: number,
  isVisible: boolean,
) {
  const [headPx, setHeadPx] = useState(0);
  /** Rows beside each other: a style sheet may show them as cards. */
  const [lanes, setLanes] = useState(1);
  /** Estimated height of rows that were not rendered: most are as high as the first. */
  const [rowPx, setRowPx] = useState(FIRST_ROW_PX);
  const virtual = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    getScrollElement: () => frame.current,
    count: keys.length,
    lanes,
    estimateSize: () => rowPx,
    // The same function as long as the keys are the same: else all rows are measured again.
    getItemKey: useCallback((index: number) => keys[index]!, [keys]),
    overscan: OVERSCAN,
    scrollMargin: headPx,
    scrollPaddingStart: headPx,
    initialRect: { width: 0, height: screen.height },
    rangeExtractor: (range) => withActiveRow(range, activeIndex),
  });
  useLayoutEffect(() => {
    const body = frame.current?.querySelector("tbody");
    if (!isVisible || !body) return;
    setHeadPx(body.offsetTop);
    setLanes(getComputedStyle(body).gridTemplateColumns.split(" ").length);
    const row = body.querySelector<HTMLElement>("[data-index]");
    if (row && rowPx === FIRST_ROW_PX) setRowPx(row.offsetHeight);
  });
  // That of the virtualizer does not report the size of an element that gets another row of the same size.
  const measure = useMemo(() => {
    let isReporting = false;
    const observer = new ResizeObserver((entries) => {
      const sizes = entries.map(({ target, borderBoxSize: [box] }) =>
        [Number((target as HTMLElement).dataset.index), Math.round(box!.blockSize)] as const
      );
      isReporting = true;
      // Rows of a hidden view have no height.
      for (const [index, px] of sizes) if (px > 0) virtual.resizeItem(index, px);
      isReporting = false;
    });
    return (row: HTMLTableRowElement) => {
      // Browsers report an error for what is observed meanwhile and as deep in the document.
      if (isReporting) requestAnimationFrame(() => row.isConnected && observer.observe(row));
      else observer.observe(row);
      return () => observer.unobserve(row);
    };
  }, [virtual]);
  return { virtual, headPx, rowPx, measure };
}

/**
 * Gives the elements of rows that have left to those that came: new ones take twice the time. None moves past that of
 * the active row, which would lose the focus if it was moved.
 *
 * @param last the elements' numbers by row, in their order
 */
export function reuseElements(
  last: ReadonlyMap<string, number>,
  keys: readonly string[],
  active: string | undefined,
): ReadonlyMap<string, number> {
  const [before, after]: [number[], number[]] = [[], []];
  let free = before;
  for (const [key, element] of last) {
    if (key === active) free = after;
    else if (!keys.includes(key)) free.push(element);
  }
  free = before;
  let unused = Math.max(0, ...last.values());
  return new Map(keys.map((key) => {
    if (key === active) free = after;
    return [key, last.get(key) ?? free.shift() ?? ++unused];
  }));
}

/** Indices of the rows in a range, and of the row with the tab stop. */
export function withActiveRow(range: Range, activeIndex: number): number[] {
  const shown = defaultRangeExtractor(range);
  if (activeIndex >= range.count || shown.includes(activeIndex)) return shown;
  return activeIndex < range.startIndex ? [activeIndex, ...shown] : [...shown, activeIndex];
}
