import { useLayoutEffect, useRef } from "react";

/**
 * Handles keys wherever the focus is, except shortcuts of the browser and keys that something else has handled.
 *
 * @param handle returns whether it has handled the key
 */
export function useKeys(handle: (event: KeyboardEvent) => boolean): void {
  const latest = useRef(handle);
  latest.current = handle;
  // Before the part is painted: a key typed at once would have no effect.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { defaultPrevented, ctrlKey, metaKey, altKey } = event;
      if (defaultPrevented || ctrlKey || metaKey || altKey) return;
      if (latest.current(event)) event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, []);
}

/**
 * Makes pairs of keys move forward and back, unless the user is typing.
 *
 * @param pairs such as "jk"
 * @param step returns whether it has moved, or could have
 */
export function useStepKeys(
  pairs: readonly string[],
  step: (by: 1 | -1, pair: string) => boolean,
): void {
  useKeys((event) => {
    const pair = pairs.find((keys) => keys.includes(event.key));
    if (pair === undefined || isForOthers(event)) return false;
    return step(pair.startsWith(event.key) ? 1 : -1, pair);
  });
}

/** What has text while the user types, and then uses Escape itself. */
const FIELD = "textarea, input:not([type=checkbox], [type=range])";

/** Makes Escape call `leave` while `isOpen`, unless a menu, a dialog or a field with text uses the key. */
export function useEscape(isOpen: () => boolean, leave: () => void): void {
  useKeys(({ key, target }) => {
    if (key !== "Escape" || !isOpen()) return false;
    const hasText = target instanceof Element && target.matches(FIELD) &&
      (target as HTMLInputElement).value !== "";
    if (hasText || document.querySelector(":popover-open, dialog[open]")) return false;
    leave();
    return true;
  });
}

/** Whether a key is typed, or part of a shortcut of the browser. */
export function isForOthers({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  const isTyping = target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable]") !== null;
  return ctrlKey || metaKey || altKey || isTyping;
}

export const showHelp = () => dispatchEvent(new KeyboardEvent("keydown", { key: "?" }));

/** Whether an element is visible: its view is open, and no detail covers it. */
export const isShown = (element: Element | null | undefined): boolean =>
  element?.checkVisibility({ visibilityProperty: true }) ?? false;

/** Whether the focus is on a view's heading, where the console puts it until a detail has its own heading. */
export const isFocusOnView = (): boolean =>
  document.activeElement?.matches(".view-head h2") ?? false;

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
