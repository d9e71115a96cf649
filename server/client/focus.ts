/** Moves the focus without scrolling, also to what is focused by nothing else. */
export function focusOn(element: HTMLElement): void {
  // Also of what takes no focus; a control's is 0.
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

/** Frames that an island gets to make again what had the focus: a second. */
const TRIES = 60;

const islandOf = (element: Element) =>
  element.closest<HTMLElement>("[data-island]")?.dataset.islandId;

/**
 * Remembers what has the focus in a page: which of its kind, in which island.
 *
 * @returns gives the focus to the same element of the page's next copy, as soon as it takes it,
 * unless a person moves it first
 */
export function rememberFocus(page: HTMLElement): (next: HTMLElement) => void {
  const focused = document.activeElement as HTMLElement;
  const island = islandOf(focused);
  const peers = (within: HTMLElement) =>
    Array.from(within.querySelectorAll<HTMLElement>(focused.localName))
      .filter((peer) => islandOf(peer) === island);
  const nth = peers(page).indexOf(focused);
  return (next) => {
    let tries = nth < 0 ? 0 : TRIES;
    const give = () => {
      if (!tries-- || document.activeElement !== document.body) return;
      const peer = peers(next)[nth];
      if (peer) focusOn(peer);
      requestAnimationFrame(give);
    };
    give();
  };
}
