import { useEffect, useState, useSyncExternalStore } from "react";
import { Icon } from "../../components/Icon.tsx";
import { isForOthers } from "../kit/use_keys.ts";
import { Store } from "../data/store.ts";
import { storeChoice, storedChoice } from "../data/stored_choice.ts";
import { currentView, showOnly, useCurrentView, useSharedParams } from "../data/view.ts";
import { VIEWS, viewsOf } from "./registry.ts";

/** Links in the bar at the bottom of a phone, beside "More". */
const BAR_LINKS = 4;

/** "2 new" since the user looked at a list, by its name; "10,000+" rows: not counted. Filled once a view has loaded. */
export const newCounts = new Store<Readonly<Record<string, string>>>({});
/** In the prerendered HTML, also after a client navigation, when the counts are known. */
const NOTHING_NEW: Readonly<Record<string, string>> = {};

/** Key of `localStorage`, and the key that folds the sidebar to its icons. */
export const SIDEBAR_KEY = "sightglass.sidebar";
const FOLD_KEY = "[";

/**
 * The navigation between views: links to fragments, in a sidebar or, on phones, in a bar at the bottom.
 *
 * @param props.variant `inbox` or `relay`
 */
export function Navigation({ variant }: { variant: string }) {
  const named = useCurrentView();
  const current = VIEWS.find(({ id }) => id === named) ?? VIEWS[0]!;
  const search = useSharedParams();
  const [isMoreOpen, setMoreOpen] = useState(false);
  const views = viewsOf(variant);
  const groups = Object.groupBy(views, ({ group }) => group);
  const counts = useSyncExternalStore(newCounts.subscribe, newCounts.snapshot, () => NOTHING_NEW);
  useEffect(() => {
    // An address that names no view.
    if (named !== current.id) location.replace("#/");
    document.documentElement.dataset.view = current.id;
    document.adoptedStyleSheets[0]?.replaceSync(showOnly(current.id));
    document.title = current === VIEWS[0] ? "Sightglass" : `${current.title} · Sightglass`;
    setMoreOpen(false);
  }, [named]);
  useEffect(handleSkipLink, []);
  useEffect(loadFonts, []);
  useEffect(() => {
    const unmounted = new AbortController();
    const { signal } = unmounted;
    addEventListener("keydown", foldByKey, { signal });
    // Before the keys of the open view.
    addEventListener("keydown", openByKey, { signal, capture: true });
    addEventListener("resize", foldByWidth, { signal });
    addEventListener("hashchange", foldByWidth, { signal });
    return () => unmounted.abort();
  }, []);
  return (
    <nav
      className={isMoreOpen ? "views more-open" : "views"}
      aria-label="Views"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isMoreOpen) return;
        event.preventDefault();
        setMoreOpen(false);
      }}
    >
      {Object.entries(groups).map(([title, inGroup]) => (
        <ul key={title} aria-label={title || undefined} data-title={title}>
          {inGroup.map((view) => (
            <li key={view.id} className={views.indexOf(view) < BAR_LINKS ? "in-bar" : undefined}>
              <a
                className="beside bare"
                href={view === VIEWS[0] && search === "" ? "#/" : `#/${view.id}${search}`}
                aria-current={view === current ? "page" : undefined}
                title={`${view.title} (g ${view.key})`}
                aria-describedby={`${view.id}-new`}
              >
                <Icon shapes={view.icon} />
                <span>{view.title}</span>
                {/* Its changes are in no recording: each would send a segment, whose arrival changes it. */}
                <small
                  id={`${view.id}-new`}
                  title={counts[view.id]?.endsWith("+")
                    ? `${counts[view.id]} rows: new ones are not counted`
                    : undefined}
                  aria-hidden="true"
                  data-sentry-block=""
                >
                  {counts[view.id]}
                </small>
              </a>
            </li>
          ))}
        </ul>
      ))}
      {views.length > BAR_LINKS && (
        <button
          type="button"
          className="more beside bare"
          aria-label="More views"
          aria-expanded={isMoreOpen}
          onClick={() => setMoreOpen(!isMoreOpen)}
        >
          <Icon name="more" />
          More
        </button>
      )}
      <button
        type="button"
        className="fold-sidebar beside bare"
        title={`Fold the sidebar (${FOLD_KEY})`}
        aria-keyshortcuts={FOLD_KEY}
        onClick={foldSidebar}
      >
        <Icon name="collapse" />
        <span>Fold the sidebar</span>
      </button>
    </nav>
  );
}

/** Where the sidebar is folded, unless the user has unfolded it: in narrow windows, sooner beside a trace. */
export const NARROW = { usual: "(max-width: 68.75rem)", trace: "(max-width: 100rem)" };
export const TRACE_FRAGMENT = /^#\/traces\/[\da-f]{32}/;

/** Folds the sidebar to its icons, or unfolds it. Remembered for later sessions. */
function foldSidebar(): void {
  const { dataset } = document.documentElement;
  dataset.sidebar = dataset.sidebar === "folded" ? "open" : "folded";
  storeChoice(SIDEBAR_KEY, dataset.sidebar);
}

/** Folds the sidebar where there is no room for it; `_app.tsx` did before the first paint. */
function foldByWidth(): void {
  const narrow = TRACE_FRAGMENT.test(location.hash) ? NARROW.trace : NARROW.usual;
  document.documentElement.dataset.sidebar = storedChoice(SIDEBAR_KEY) ??
    (matchMedia(narrow).matches ? "folded" : "open");
}

function foldByKey(event: KeyboardEvent): void {
  if (event.key === FOLD_KEY && !isForOthers(event)) foldSidebar();
}

/** Milliseconds in which the second key of `g e` must follow. */
const CHORD_MS = 1_500;
let chordAt = -Infinity;

/** Opens a view by `g` and its key: clicks its link, which keeps the filters that views share. */
function openByKey(event: KeyboardEvent): void {
  const isChord = event.timeStamp - chordAt < CHORD_MS && !isForOthers(event);
  const view = isChord && VIEWS.find(({ key }) => key === event.key);
  chordAt = event.key === "g" ? event.timeStamp : -Infinity;
  if (!view) return;
  event.preventDefault();
  document.querySelector<HTMLElement>(`.views [aria-describedby="${view.id}-new"]`)?.click();
}

/** The page's own typefaces. Loaded once the page is drawn: they must not delay it. */
const FONTS = { "Geist": "/fonts/geist.woff2", "Geist Mono": "/fonts/geist-mono.woff2" };

function loadFonts(): void {
  for (const [family, path] of Object.entries(FONTS)) {
    if ([...document.fonts].some((face) => face.family === family)) continue;
    document.fonts.add(new FontFace(family, `url(${path})`, { weight: "100 900" }));
  }
}

/**
 * Makes the skip link focus the current view, and keeps the fragment, which names that view.
 *
 * @returns the function that undoes it
 */
function handleSkipLink(): () => void {
  const link = document.querySelector(".skip");
  const skip = (event: Event) => {
    const view = document.querySelector<HTMLElement>(`.view.${currentView()}`);
    if (!view) return;
    event.preventDefault();
    // Removed on blur: else each click into the view would focus it.
    view.tabIndex = -1;
    view.focus();
    view.addEventListener("blur", () => view.removeAttribute("tabindex"), { once: true });
  };
  link?.addEventListener("click", skip);
  return () => link?.removeEventListener("click", skip);
}
