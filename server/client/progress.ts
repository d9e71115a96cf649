/** Milliseconds that a navigation may take before it says that it is under way. */
const SLOW_MS = 300;

/**
 * Once it takes long: `data-navigating` on the root element, for a style sheet to show, and
 * `aria-busy` on what will be replaced.
 *
 * @returns ends it
 */
export function showProgress(page: HTMLElement): () => void {
  const { dataset } = document.documentElement;
  const timer = setTimeout(() => {
    dataset.navigating = "";
    page.ariaBusy = "true";
  }, SLOW_MS);
  return () => {
    clearTimeout(timer);
    delete dataset.navigating;
    page.ariaBusy = null;
  };
}
