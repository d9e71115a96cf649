/** Whether a key is typed, or part of a shortcut of the browser. */
export function isForOthers({ ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  const isTyping = target instanceof Element &&
    target.closest("input, textarea, select, [contenteditable]") !== null;
  return ctrlKey || metaKey || altKey || isTyping;
}
