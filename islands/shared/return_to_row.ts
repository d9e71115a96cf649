import { type RefObject, useLayoutEffect, useRef } from "react";
import { parseFragment } from "./fragment.ts";
import type { View } from "./view.ts";

/** Where a list stood when one of its rows was opened: pixels, the row's from the top of the window. */
interface Place {
  readonly id: string;
  readonly row: number;
  readonly page: number;
}

/** The last one of each view. */
const left = new Map<View, Place>();

/**
 * Brings a reader who comes back from a detail to the row that was opened: it has the focus, and stands where it
 * stood. Nothing moves under who is elsewhere by then. The rows' own links bear the class `row-link`.
 *
 * @param place around the list
 * @param from what the reader comes back from, by its part of the address; undefined: nothing
 * @param hasRows before there are any, there is nowhere to go back to
 */
export function useReturnToRow(
  view: View,
  place: RefObject<HTMLElement | null>,
  from: string | undefined,
  hasRows: boolean,
): void {
  const back = useRef(from);
  useLayoutEffect(() => {
    const link = back.current === undefined ? undefined : linkTo(place.current, view, back.current);
    if (!link) return;
    const stood = left.get(view);
    const isReturn = stood?.id === back.current;
    back.current = undefined;
    if (document.activeElement !== document.body) return;
    link.focus({ preventScroll: isReturn });
    if (!stood || !isReturn) return;
    const beyond = () => link.getBoundingClientRect().top - stood.row;
    // A list in a frame scrolls by itself; what is left the page makes up for.
    scrollTo({ top: stood.page, behavior: "instant" });
    link.closest(".frame")?.scrollBy({ top: beyond(), behavior: "instant" });
    scrollBy({ top: beyond(), behavior: "instant" });
  }, [hasRows]);

  // The address names what was opened by the time the list goes, and the rows are still there.
  useLayoutEffect(() => () => {
    const { view: to, path: [id] } = parseFragment(location.hash);
    const link = to === view && id ? linkTo(place.current, view, id) : undefined;
    if (!link || !id) return;
    left.set(view, { id, row: link.getBoundingClientRect().top, page: scrollY });
  }, []);
}

function linkTo(place: HTMLElement | null, view: View, id: string): HTMLElement | undefined {
  const links = place?.querySelectorAll<HTMLElement>("a.row-link") ?? [];
  return Array.from(links).find((link) => {
    const to = parseFragment(link.getAttribute("href") ?? "");
    return to.view === view && to.path[0] === id;
  });
}
