import { type KeyboardEvent, type MouseEvent, type SyntheticEvent, useState } from "react";

/** What a list of rows listens to, on an element around them. */
export interface RowEvents {
  onFocus(event: SyntheticEvent<HTMLElement>): void;
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
  onMouseDown(event: MouseEvent<HTMLElement>): void;
  onClick(event: MouseEvent<HTMLElement>): void;
}

/**
 * The way through a list whose rows each have one link of the class `row-link`, with the row's key as `data-row`. One of
 * them is a stop of the Tab key; Up, Down, Home and End lead from row to row. A click anywhere in a row opens it, unless
 * it ends a selection: what stands in a row can be marked and copied.
 *
 * @param keys of the rows, in their order
 * @param first which row the Tab key stops at to begin with
 * @returns the key of the row that it stops at now; what to listen to
 */
export function useRowKeys(
  keys: readonly string[],
  first: string | undefined,
): { readonly stop: string | undefined; readonly events: RowEvents } {
  const [active, setActive] = useState(first);
  const stop = active !== undefined && keys.includes(active) ? active : keys[0];
  return { stop, events: { ...EVENTS, onFocus: (event) => focused(event, setActive) } };
}

function focused({ target }: SyntheticEvent, setActive: (key: string) => void): void {
  const { row } = (target as HTMLElement).dataset;
  if (row !== undefined) setActive(row);
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
    if (hasMarked(event)) return event.preventDefault();
    const target = event.target as Element;
    const link = target.closest("tr")?.querySelector("a.row-link");
    if (!link || target.closest("a, button")) return;
    // As it was: with the Control key it opens a tab.
    link.dispatchEvent(new globalThis.MouseEvent("click", event.nativeEvent));
  },
};

/** Pixels that a hand moves when it only clicks. */
const STEADY_PX = 4;
let pressedAt = { clientX: 0, clientY: 0 };

/** Whether a click ends the marking of a text. One of a key or a script has no `detail`: nothing was pressed before. */
function hasMarked({ detail, shiftKey, clientX, clientY }: MouseEvent): boolean {
  if (detail === 0 || getSelection()?.isCollapsed !== false) return false;
  const moved = Math.hypot(clientX - pressedAt.clientX, clientY - pressedAt.clientY);
  return shiftKey || moved > STEADY_PX;
}
