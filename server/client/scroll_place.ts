/** Where an entry of the history was scrolled to: kept in its state, so that it outlives the page. */
type Place = readonly [left: number, top: number];

/** Milliseconds: browsers refuse an entry's state when it changes some ten times a second. */
const SETTLED_MS = 100;

/** The current entry's place; undefined where it has just been made, by a fragment. */
export function savedPlace(): Place | undefined {
  return history.state?.place;
}

/** Writes down where the current entry is scrolled to. */
export function savePlace(place: Place = [scrollX, scrollY]): void {
  history.replaceState({ ...history.state, place }, "");
}

/**
 * Takes scrolling over from the browser, which would scroll before the page is there that it
 * scrolls. `save` is called whenever a place may have to be written down.
 */
export function takeOverScrolling(save: () => void): void {
  history.scrollRestoration = "manual";
  const place = savedPlace();
  if (place) scrollTo(...place);
  else savePlace([0, 0]);
  let timer: ReturnType<typeof setTimeout>;
  addEventListener("scroll", () => {
    clearTimeout(timer);
    timer = setTimeout(save, SETTLED_MS);
  }, { passive: true });
  addEventListener("pagehide", save);
}
