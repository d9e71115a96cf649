/** Whether a key is typed, or part of a shortcut of the browser. */
export function isForOthers({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  const isTyping = target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable]") !== null;
  return ctrlKey || metaKey || altKey || isTyping;
}

/** Whether an element is visible: its view is open, and no detail covers it. */
export const isShown = (element: Element | null | undefined): boolean =>
  element?.checkVisibility({ visibilityProperty: true }) ?? false;

/** Whether the focus is on a view's heading, where the console puts it until a detail has its own heading. */
export const isFocusOnView = (): boolean =>
  document.activeElement?.matches(".view-head h2") ?? false;
