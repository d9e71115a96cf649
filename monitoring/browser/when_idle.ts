/** Maximum wait on a page that is never idle. */
const MAX_WAIT_MS = 3000;
/** Wait in browsers without `requestIdleCallback` (Safari). */
const FALLBACK_WAIT_MS = 200;

/** Runs `work` once the browser has nothing more urgent to do. */
export function whenIdle(work: () => void): void {
  if (typeof requestIdleCallback === "function") {
    requestIdleCallback(() => work(), { timeout: MAX_WAIT_MS });
  } else {
    setTimeout(work, FALLBACK_WAIT_MS);
  }
}

/** Resolves in a later task, once the browser is idle. */
export function idle(): Promise<void> {
  return new Promise((resolve) => whenIdle(resolve));
}

/** Runs `work` after the page's `load` event, once the browser is idle. */
export function whenLoadedAndIdle(work: () => void): void {
  if (document.readyState === "complete") whenIdle(work);
  else addEventListener("load", () => whenIdle(work), { once: true });
}
