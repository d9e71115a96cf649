import {
  type MouseEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { parseFragment } from "./fragment.ts";
import type { View } from "./view.ts";

/** Mouse navigation of a list, for the element around the rows: a click anywhere in a row opens it, unless it ends a text selection. */
export const ROW_CLICKS = {
  onMouseDown({ clientX, clientY }: MouseEvent) {
    pressedAt = { clientX, clientY };
  },
  onClick(event: MouseEvent) {
    if (endsSelection(event)) return event.preventDefault();
    const target = event.target as Element;
    const link = target.closest("tr")?.querySelector("a.row-link");
    if (!link || target.closest("a, button")) return;
    // Keeps the modifier keys: with Control the link opens in a new tab.
    link.dispatchEvent(new globalThis.MouseEvent("click", event.nativeEvent));
  },
};

/** Pixels that the pointer may move during a click. */
const CLICK_TOLERANCE_PX = 4;
let pressedAt = { clientX: 0, clientY: 0 };

/** Whether a click ends a text selection. Clicks by keyboard or script have `detail` 0. */
function endsSelection({ detail, shiftKey, clientX, clientY }: MouseEvent): boolean {
  if (detail === 0 || getSelection()?.isCollapsed !== false) return false;
  const moved = Math.hypot(clientX - pressedAt.clientX, clientY - pressedAt.clientY);
  return shiftKey || moved > CLICK_TOLERANCE_PX;
}

/**
 * Remembers what was shown before in a view that has a list and details.
 *
 * @param id of the open detail, if any
 * @param isList the list is shown
 * @returns the detail that was open last, whose row gets the focus, and whether the list was shown: then the link that
 * was followed is not on the page any more, and a detail takes the focus
 */
export function useShownBefore(id: string | undefined, isList: boolean) {
  const lastId = useRef<string>(undefined);
  const [wasListShown, setWasListShown] = useState(false);
  useEffect(() => {
    if (isList) setWasListShown(true);
    if (id !== undefined) lastId.current = id;
  }, [id, isList]);
  return { returnFrom: lastId.current, wasListShown };
}

/** Scroll position of a list when one of its rows was opened. */
interface ListPosition {
  /** First part of the row's address. */
  readonly id: string;
  /** The row's distance from the top of the window, pixels. */
  readonly rowTop: number;
  /** The page's scroll position, pixels. */
  readonly pageTop: number;
}

const lastPositions = new Map<View, ListPosition>();

/**
 * When the user returns from a detail to the list: focuses the row that was opened and restores the scroll position.
 * Does nothing if the focus is elsewhere by then.
 *
 * @param container the element around the list
 * @param from first part of the detail's address; undefined: the user does not come from a detail
 * @param hasRows the rows have been loaded
 */
export function useReturnToRow(
  view: View,
  container: RefObject<HTMLElement | null>,
  from: string | undefined,
  hasRows: boolean,
): void {
  const pending = useRef(from);
  useLayoutEffect(() => {
    const id = pending.current;
    const link = id === undefined ? undefined : rowLink(container.current, view, id);
    if (!link) return;
    pending.current = undefined;
    if (document.activeElement !== document.body) return;
    const last = lastPositions.get(view);
    const isSameRow = last?.id === id;
    link.focus({ preventScroll: isSameRow });
    if (!last || !isSameRow) return;
    const distance = () => link.getBoundingClientRect().top - last.rowTop;
    // On wide screens the list scrolls in its own frame; the page scrolls the rest.
    scrollTo({ top: last.pageTop, behavior: "instant" });
    link.closest(".frame")?.scrollBy({ top: distance(), behavior: "instant" });
    scrollBy({ top: distance(), behavior: "instant" });
  }, [hasRows]);

  // When the list unmounts, the address is already the detail's, and the rows are still in the document.
  useLayoutEffect(() => () => {
    const { view: openedView, path: [id] } = parseFragment(location.hash);
    const link = openedView === view && id ? rowLink(container.current, view, id) : undefined;
    if (!link || !id) return;
    lastPositions.set(view, {
      id,
      rowTop: link.getBoundingClientRect().top,
      pageTop: scrollY,
    });
  }, []);
}

function rowLink(container: HTMLElement | null, view: View, id: string): HTMLElement | undefined {
  const links = container?.querySelectorAll<HTMLElement>("a.row-link") ?? [];
  return Array.from(links).find((link) => {
    const target = parseFragment(link.getAttribute("href") ?? "");
    return target.view === view && target.path[0] === id;
  });
}
