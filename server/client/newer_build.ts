/** Minimum time between two checks, and before the first one. */
const CHECK_INTERVAL_MS = 30_000;

/** Inputs that have a value without user input. */
const NOT_TEXT = "button checkbox color hidden image radio range reset submit".split(" ")
  .map((type) => `[type=${type}]`);
/** Fields for text. */
const FIELDS = `input:not(${NOT_TEXT}),textarea`;
/** The field with the focus. */
const FOCUSED = ":is(input,textarea,select,[contenteditable]):focus";

/**
 * When the user returns to the page, checks whether another version was deployed, and then reloads the
 * page, unless a field contains input.
 *
 * @param fetchHead sends HEAD for the current page's data
 */
export function reloadWhenOutdated(
  fetchHead: () => Promise<Response>,
  version: () => string | undefined,
): void {
  let checkedAt = Date.now();

  const check = async () => {
    if (Date.now() - checkedAt < CHECK_INTERVAL_MS) return;
    checkedAt = Date.now();
    try {
      const newest = (await fetchHead()).headers.get("X-Build");
      if (newest === null || newest === version()) return;
      if (isFillingIn()) checkedAt = 0;
      else location.reload();
    } catch {
      // Offline: keep the page.
    }
  };

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) check();
  });
  // Restored from the back/forward cache.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) check();
  });
}

function isFillingIn(): boolean {
  if (document.querySelector(FOCUSED)) return true;
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(FIELDS);
  return Array.from(fields).some(({ value }) => value !== "");
}
