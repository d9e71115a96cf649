import { shownView } from "./view.ts";

/**
 * The skip link leads past the tabs into the open view, and leaves the address alone: it names that view.
 *
 * @returns how to stop
 */
export function skipToView(): () => void {
  const link = document.querySelector(".skip");
  const skip = (event: Event) => {
    const view = document.querySelector<HTMLElement>(`.view.${shownView()}`);
    if (!view) return;
    event.preventDefault();
    // Only for now: else each click into the view would take the focus.
    view.tabIndex = -1;
    view.focus();
    view.addEventListener("blur", () => view.removeAttribute("tabindex"), { once: true });
  };
  link?.addEventListener("click", skip);
  return () => link?.removeEventListener("click", skip);
}
