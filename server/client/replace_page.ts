interface Replacement {
  /** The current page, and the one that replaces it. */
  readonly page: HTMLElement;
  readonly next: HTMLElement;
  readonly title: string;
  /** The fragment of the address with its `#`, or ''. */
  readonly hash: string;
  /** Scroll position; undefined: the fragment's element, else the top. */
  readonly position: readonly [left: number, top: number] | undefined;
  /** The same page is loaded again: keep the focus. */
  readonly isReload: boolean;
  /** Unmounts the islands of `page` and hydrates those of `next`. */
  readonly hydrate: () => Promise<void>;
}

/**
 * Replaces a page by another, and sets scroll position, focus and title. Screen readers announce the title
 * if there is an element `[data-announcer]` outside the page.
 */
export function replacePage(replacement: Replacement): void {
  const { page, next, title, hash, position, isReload, hydrate } = replacement;
  const refocus = rememberFocus(page);
  page.replaceWith(next);
  const hydrated = hydrate();
  document.title = title;
  announce(title);

  const named = elementNamed(hash.slice(1));
  const scroll = () => {
    if (position) scrollTo(...position);
    else if (named) named.scrollIntoView();
    else scrollTo(0, 0);
  };
  scroll();
  if (!isReload) focusOn(named ?? next.querySelector("main") ?? next);
  const top = scrollY;
  hydrated.then(() => {
    // Again, because islands may have added content above; not if the user has scrolled since.
    if (position && next.isConnected && scrollY === top) scroll();
    if (isReload) refocus(next);
  });
}

/** Finds the element of a fragment as browsers do: by the raw text, then decoded. */
function elementNamed(fragment: string): HTMLElement | null {
  const element = document.getElementById(fragment);
  if (element) return element;
  try {
    return document.getElementById(decodeURIComponent(fragment));
  } catch {
    // Invalid percent-encoding.
    return null;
  }
}

/** Clears the text first: screen readers do not announce an unchanged text. */
function announce(text: string): void {
  const announcer = document.querySelector("[data-announcer]");
  if (!announcer) return;
  announcer.textContent = "";
  requestAnimationFrame(() => announcer.textContent = text);
}

/** Moves the focus without scrolling, also to elements that are not focusable by themselves. */
function focusOn(element: HTMLElement): void {
  // -1 too if the element has no `tabindex`; 0 for controls.
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

/** Number of frames, about a second, in which an island may render the element again. */
const FOCUS_FRAMES = 60;

const islandOf = (element: Element) =>
  element.closest<HTMLElement>("[data-island]")?.dataset.islandId;

/**
 * Remembers the focused element of a page by its tag, its index and its island.
 *
 * @returns a function that focuses the same element of the next page, as soon as it can be focused and
 * unless the user moves the focus first
 */
function rememberFocus(page: HTMLElement): (next: HTMLElement) => void {
  const focused = document.activeElement as HTMLElement;
  const island = islandOf(focused);
  const sameTag = (within: HTMLElement) =>
    Array.from(within.querySelectorAll<HTMLElement>(focused.localName))
      .filter((element) => islandOf(element) === island);
  const index = sameTag(page).indexOf(focused);
  return (next) => {
    let frames = index < 0 ? 0 : FOCUS_FRAMES;
    const focus = () => {
      if (!frames-- || document.activeElement !== document.body) return;
      const element = sameTag(next)[index];
      if (element) focusOn(element);
      requestAnimationFrame(focus);
    };
    focus();
  };
}
