import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { parseFragment } from "./fragment.ts";
import type { View } from "./view.ts";

/** Event handlers for the element around the rows. */
interface RowEvents {
  onFocus(event: SyntheticEvent<HTMLElement>): void;
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
  onMouseDown(event: MouseEvent<HTMLElement>): void;
  onClick(event: MouseEvent<HTMLElement>): void;
}

/**
 * Keyboard and mouse navigation of a list (roving tabindex,
 * https://www.w3.org/WAI/ARIA/apg/practices/keyboard-interface/). Each row has one link with the class `row-link` and the
 * row's key as `data-row`. Up, Down, Home and End move the focus. A click anywhere in a row opens it, unless it ends a
 * text selection.
 *
 * @param keys the rows' keys in display order
 * @param initial key of the row that is the tab stop at first; unknown or undefined: the first row
 * @returns the key of the row that is the tab stop, and the handlers
 */
export function useRowKeys(
  keys: readonly string[],
  initial: string | undefined,
): { readonly tabStop: string | undefined; readonly events: RowEvents } {
  const [active, setActive] = useState(initial);
  const tabStop = active !== undefined && keys.includes(active) ? active : keys[0];
  const onFocus = ({ target }: SyntheticEvent) => {
    const { row } = (target as HTMLElement).dataset;
    if (row !== undefined) setActive(row);
  };
  return { tabStop, events: { ...EVENTS, onFocus } };
}

const EVENTS: Omit<RowEvents, "onFocus"> = {
  onKeyDown(event) {
    const links = [...event.currentTarget.querySelectorAll<HTMLElement>("a.row-link")];
    const at = links.indexOf(event.target as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
    if (at === -1 || to === undefined) return;
    event.preventDefault();
    links[Math.min(Math.max(to, 0), links.length - 1)]?.focus();
  },
  onMouseDown({ clientX, clientY }) {
    pressedAt = { clientX, clientY };
  },
  onClick(event) {
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
