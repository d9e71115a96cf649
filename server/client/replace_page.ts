import { focusOn, rememberFocus } from "./focus.ts";

export interface Replacement {
  /** What is seen, and what comes in its place. */
  readonly page: HTMLElement;
  readonly next: HTMLElement;
  readonly title: string;
  /** The fragment of the address, with its `#`, or nothing. */
  readonly hash: string;
  /** Where to scroll; undefined: to the fragment's element, else to the top. */
  readonly place: readonly [left: number, top: number] | undefined;
  /** The same page again: who was at an element stays there. */
  readonly isAgain: boolean;
  /** Ends the islands of `page` and hydrates those of `next`; resolves when React has them. */
  readonly revive: () => Promise<void>;
}

/**
 * Puts a page in the place of another and brings the person there: scroll, focus, title. The title is
 * also said, in the element `[data-announcer]` outside the page, if there is one.
 */
export function replacePage(replacement: Replacement): void {
  const { page, next, title, hash, place, isAgain, revive } = replacement;
  const refocus = rememberFocus(page);
  page.replaceWith(next);
  const revived = revive();
  document.title = title;
  announce(title);

  const named = elementNamed(hash.slice(1));
  const arrive = () => {
    if (place) scrollTo(...place);
    else if (named) named.scrollIntoView();
    else scrollTo(0, 0);
  };
  arrive();
  if (!isAgain) focusOn(named ?? next.querySelector("main") ?? next);
  const top = scrollY;
  revived.then(() => {
    // The place may be where islands have only now added something; or the person has moved on.
    if (place && next.isConnected && scrollY === top) arrive();
    if (isAgain) refocus(next);
  });
}

/** The element that a fragment names, as browsers look for it: as it stands, then decoded. */
function elementNamed(fragment: string): HTMLElement | null {
  const element = document.getElementById(fragment);
  if (element) return element;
  try {
    return document.getElementById(decodeURIComponent(fragment));
  } catch {
    // No escape sequence after all.
    return null;
  }
}

/** In two steps: the same text again would be no news to a screen reader. */
function announce(text: string): void {
  const announcer = document.querySelector("[data-announcer]");
  if (!announcer) return;
  announcer.textContent = "";
  requestAnimationFrame(() => announcer.textContent = text);
}
