/** Milliseconds until idle work is done all the same, on a page that is never idle. */
const LATEST_MS = 3000;
/** Milliseconds to wait where a browser cannot tell when it is idle (Safari). */
const GUESS_MS = 200;

/** Runs `work` once the browser has nothing more urgent to do. */
export function whenIdle(work: () => void): void {
  if (typeof requestIdleCallback === "function") {
    requestIdleCallback(() => work(), { timeout: LATEST_MS });
  } else {
    setTimeout(work, GUESS_MS);
  }
}

/** Runs `work` after the page's `load` event, once the browser is idle. */
export function whenLoadedAndIdle(work: () => void): void {
  if (document.readyState === "complete") whenIdle(work);
  else addEventListener("load", () => whenIdle(work), { once: true });
}
