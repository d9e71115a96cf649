/** Maximum wait on a page that is never idle. */
const MAX_WAIT_MS = 3000;
/** Wait in browsers without `requestIdleCallback` (Safari). */
const FALLBACK_WAIT_MS = 200;

/** Runs `work` when the browser is idle, after at most 3 s (Safari: after 200 ms). */
export function whenIdle(work: () => void): void {
  if (typeof requestIdleCallback === "function") {
    requestIdleCallback(() => work(), { timeout: MAX_WAIT_MS });
  } else {
    setTimeout(work, FALLBACK_WAIT_MS);
  }
}

/** Resolves in a later task, when {@linkcode whenIdle} would run work. */
export function untilIdle(): Promise<void> {
  return new Promise((resolve) => whenIdle(resolve));
}

/** Lets the browser handle input and draw. Unlike idle callbacks, timers of a hidden page run within a second. */
export const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve));

/** Like {@linkcode whenIdle}, but not before the page's `load` event. */
export function whenLoadedAndIdle(work: () => void): void {
  if (document.readyState === "complete") whenIdle(work);
  else addEventListener("load", () => whenIdle(work), { once: true });
}
