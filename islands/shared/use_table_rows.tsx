import { useWindowVirtualizer, type VirtualItem } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useIsVisible } from "./fragment.ts";
import { rowForKey, withActiveRow } from "./use_virtual_rows.ts";
import type { View } from "./view.ts";

/** Rows rendered beyond each edge of the window, so that fast scrolling shows no blank. */
const OVERSCAN = 4;
/** Height of a row before one was rendered, in pixels: two lines. */
const FIRST_ROW_PX = 46;

/** Heights of rows that were rendered: a list that is shown again has its rows where they were. */
const measured = new Map<View, { readonly rowPx: number; readonly rows: VirtualItem[] }>();

/** A row's place in its table; for {@linkcode ListRow}. */
export interface RowPlace {
  readonly index: number;
  /** The row's link is in the tab order. */
  readonly isTabStop: boolean;
  readonly measure: (row: HTMLTableRowElement | null) => void;
}

/**
 * The rows of a table that scrolls with the page: of many, those in sight. One row's link is in the tab order (roving
 * tabindex, https://www.w3.org/WAI/ARIA/apg/practices/keyboard-interface/); Up, Down, Page Up, Page Down, Home and End
 * move the focus.
 *
 * @param container the element around the table
 * @param keys of all rows in display order, as in the `data-row` of their links
 * @param options.initial key of the row that is the tab stop at first; unknown or undefined: the first row
 * @param options.rowsMove known rows change places: the scroll position does not follow them
 * @returns `render` makes the content of the table's body; the handlers are for `container`
 */
export function useTableRows(
  container: RefObject<HTMLElement | null>,
  keys: readonly string[],
  { view, initial, rowsMove }: { view: View; initial: string | undefined; rowsMove: boolean },
) {
  const [active, setActive] = useState(initial);
  const activeIndex = Math.max(0, active === undefined ? 0 : keys.indexOf(active));
  const [top, setTop] = useState(0);
  /** Estimated height of rows that were not rendered: most are as high as the first. Wrong ones are rendered twice. */
  const [rowPx, setRowPx] = useState(measured.get(view)?.rowPx ?? FIRST_ROW_PX);
  const isVisible = useIsVisible(view);
  const last = useRef({ firstKey: keys[0], scrollY: 0 });
  // Rows that arrive above the window do not move those in sight. The browser would anchor the scroll position only to
  // what was rendered when the user scrolled, so the table has none of it (tables.css).
  const hasArrivals = !rowsMove && keys[0] !== last.current.firstKey;
  const anchorTo = hasArrivals && last.current.scrollY > top ? "end" : "start";
  const virtual = useWindowVirtualizer<HTMLTableRowElement>({
    anchorTo,
    count: keys.length,
    estimateSize: () => rowPx,
    getItemKey: (index) => keys[index]!,
    overscan: OVERSCAN,
    scrollMargin: top,
    // Rows are there at the first rendering, for `useReturnToRow`.
    initialRect: { width: 0, height: screen.height },
    initialMeasurementsCache: measured.get(view)?.rows ?? [],
    // Rows of a hidden view have no height.
    useCachedMeasurements: !isVisible,
    rangeExtractor: (range) => withActiveRow(range, activeIndex),
  });
  last.current = { firstKey: keys[0], scrollY: virtual.scrollOffset ?? 0 };

  useLayoutEffect(
    () => () => void measured.set(view, { rowPx, rows: virtual.takeSnapshot() }),
    [view, rowPx],
  );

  useLayoutEffect(() => {
    const body = container.current?.querySelector("tbody");
    if (!isVisible || !body) return;
    setTop(Math.round(body.getBoundingClientRect().top + scrollY));
    const row = body.querySelector<HTMLElement>("[data-index]");
    if (row && rowPx === FIRST_ROW_PX) setRowPx(row.offsetHeight);
  });

  const focusRequest = useRef(false);
  useLayoutEffect(() => {
    if (!focusRequest.current) return;
    focusRequest.current = false;
    container.current?.querySelector<HTMLElement>('a.row-link[tabindex="0"]')?.focus();
  });

  return {
    render(row: (place: RowPlace) => ReactNode): ReactNode {
      const parts: ReactNode[] = [];
      let end = top;
      const skipTo = (start: number) => {
        if (start > end) parts.push(<Unrendered key={`rows ${parts.length}`} px={start - end} />);
      };
      for (const { index, start, end: rowEnd } of virtual.getVirtualItems()) {
        skipTo(start);
        parts.push(
          row({ index, isTabStop: index === activeIndex, measure: virtual.measureElement }),
        );
        end = rowEnd;
      }
      skipTo(top + virtual.getTotalSize());
      return parts;
    },
    onFocus({ target }: SyntheticEvent<HTMLElement>) {
      const { row } = (target as HTMLElement).dataset;
      if (row !== undefined) setActive(row);
    },
    onKeyDown(event: KeyboardEvent<HTMLElement>) {
      if (!(event.target as Element).matches("a.row-link")) return;
      const page = Math.max(1, Math.floor(innerHeight / rowPx) - 2);
      const to = rowForKey(event.key, { active: activeIndex, count: keys.length, page });
      if (to === undefined) return;
      event.preventDefault();
      focusRequest.current = true;
      setActive(keys[to]);
    },
  };
}

/** A row of a list, with its cells. */
export function ListRow(
  { index, measure, children }: Omit<RowPlace, "isTabStop"> & { children: ReactNode },
) {
  return (
    // The row of the heads is the first.
    <tr ref={measure} data-index={index} aria-rowindex={index + 2}>
      {children}
    </tr>
  );
}

/** Takes the space of rows that are not rendered. */
function Unrendered({ px }: { px: number }) {
  return (
    <tr className="unrendered" aria-hidden="true">
      <td style={{ height: px }} />
    </tr>
  );
}
