/** Scroll position of a history entry, stored in its state so that it survives the page. */
type Position = readonly [left: number, top: number];

/** Browsers refuse about ten state changes a second. */
const SAVE_DELAY_MS = 100;

/** The current entry's position; undefined for a new entry of a fragment. */
export function savedPosition(): Position | undefined {
  return history.state?.place;
}

/** Saves the scroll position of the current entry. */
export function savePosition(place: Position = [scrollX, scrollY]): void {
  history.replaceState({ ...history.state, place }, "");
}

/**
 * Restores scroll positions instead of the browser, which would scroll before the page has been replaced.
 *
 * @param save called when the position may have changed
 */
export function manageScrolling(save: () => void): void {
  history.scrollRestoration = "manual";
  const position = savedPosition();
  if (position) scrollTo(...position);
  else savePosition([0, 0]);
  let timer: ReturnType<typeof setTimeout>;
  addEventListener("scroll", () => {
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_DELAY_MS);
  }, { passive: true });
  addEventListener("pagehide", save);
}
