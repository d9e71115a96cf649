/** Milliseconds: who looks away for less has not left. */
const AWAY_MS = 1_000;
/** Milliseconds between two questions; the first comes no sooner after the page itself. */
const ASK_AGAIN_MS = 30_000;

/** Inputs that have a value though nobody wrote it. */
const NOT_WRITTEN = "button checkbox color hidden image radio range reset submit".split(" ")
  .map((type) => `[type=${type}]`);
/** Fields that hold what a person wrote. */
const FIELDS = `input:not(${NOT_WRITTEN}),textarea`;
/** Fields that a person is at. */
const FOCUSED = ":is(input,textarea,select,[contenteditable]):focus";

export interface OutdatedOptions {
  /** Asks for the head of the current page's data. */
  readonly ask: () => Promise<Response>;
  /** The build of the page that is seen. */
  readonly build: () => string | undefined;
}

/**
 * When a person comes back to the page, asks whether another build was deployed meanwhile, and if so
 * loads the page anew; not while a field is being filled in. Without an answer nothing happens.
 *
 * Loaded by itself after the page, so it imports nothing: what it shared with the first scripts
 * would be a file more before islands answer.
 */
export function reloadWhenOutdated({ ask, build }: OutdatedOptions): void {
  let leftAt = 0;
  let askedAt = Date.now();

  const comeBack = async () => {
    if (Date.now() - askedAt < ASK_AGAIN_MS) return;
    askedAt = Date.now();
    try {
      const newest = (await ask()).headers.get("X-Build");
      if (newest === null || newest === build()) return;
      if (isFillingIn()) askedAt = 0;
      else location.reload();
    } catch {
      // Offline: the page goes on as it is.
    }
  };

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) leftAt = Date.now();
    else if (Date.now() - leftAt >= AWAY_MS) comeBack();
  });
  // Back from where browsers keep whole pages.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) comeBack();
  });
}

function isFillingIn(): boolean {
  if (document.querySelector(FOCUSED)) return true;
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(FIELDS);
  return Array.from(fields).some(({ value }) => value !== "");
}
