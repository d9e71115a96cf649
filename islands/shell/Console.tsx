import { type ComponentType, useEffect, useState, useSyncExternalStore } from "react";
import { Mark } from "../../components/Icon.tsx";
import { ErrorBoundary } from "../kit/ErrorBoundary.tsx";
import { LoadedPart } from "../kit/LoadedPart.tsx";
import type { PageFacts } from "../../components/page_facts.ts";
import { isShown } from "../kit/use_keys.ts";
import {
  currentView,
  PAGE_VIEWS,
  subscribeToFragment,
  useView,
  type View,
  viewFragment,
  VIEWS,
} from "../data/view.ts";
import { Navigation } from "./Navigation.tsx";
import { PipelineMark } from "./PipelineMark.tsx";
import { loadSwitcher, loadView } from "./views.ts";

/** The whole page: sidebar, and the views beside it, of which one is shown. */
export default function Console(page: PageFacts) {
  const { variant, route } = page;
  // After a frame: rules for single elements come first.
  useEffect(
    () => subscribeToFragment((event) => event.isTrusted && requestAnimationFrame(focusHeading)),
    [],
  );
  return (
    <div className="console">
      <header className="sidebar">
        <a className="brand beside bare" href="/">
          <Mark />
          <h1>Sightglass</h1>
        </a>
        {variant === "inbox" && <LoadedSwitcher />}
        <Navigation variant={variant} />
        <section className="strip" aria-label="Pipeline status">
          <PipelineMark variant={variant} route={route} />
        </section>
      </header>
      <main id="main">
        {VIEWS.map((view) => <ViewSection key={view} view={view} page={page} />)}
      </main>
    </div>
  );
}

/** Focuses the heading of what is shown, if a navigation has removed or hidden the focused element. */
function focusHeading(): void {
  const { activeElement, body } = document;
  // Other fragments, such as `#proof`, have their own target.
  if (location.hash !== viewFragment() || activeElement !== body && isShown(activeElement)) return;
  const view = document.querySelector(`.view.${currentView()}`);
  const heading = view?.querySelector<HTMLElement>('.detail-pane h3[tabindex="-1"]') ??
    view?.querySelector<HTMLElement>(".view-head h2");
  heading?.focus({ preventScroll: true });
}

/** The choice of an application needs the data of the views, so it is loaded with the first of them. */
function LoadedSwitcher() {
  const [Switcher, setSwitcher] = useState<ComponentType>();
  useEffect(() => {
    // Without it the page shows all applications.
    loadSwitcher().then((Loaded) => setSwitcher(() => Loaded), () => {});
  }, []);
  return <div className="switcher-place" data-sentry-block="">{Switcher && <Switcher />}</div>;
}

/** Views that are not blocked from recordings as a whole: they block their parts that show telemetry. */
const RECORDED: ReadonlySet<View> = new Set(["settings"]);

const subscribeToNothing = () => () => {};

/** False in the prerendered HTML and during hydration, then true. */
const useMounted = () => useSyncExternalStore(subscribeToNothing, () => true, () => false);

/** A view. Once opened it stays in the document, so that the user returns to what was there. */
function ViewSection({ view, page }: { view: View; page: PageFacts }) {
  const isMounted = useMounted();
  const current = useView();
  const isOpen = current === view;
  return (
    <section
      className={`view ${view}`}
      aria-labelledby={`${view}-view`}
      // It shows telemetry, which no recording may contain.
      data-sentry-block={RECORDED.has(view) ? undefined : ""}
    >
      <header className="view-head head beside">
        <h2 id={`${view}-view`} className="title" tabIndex={-1}>{PAGE_VIEWS[view]}</h2>
      </header>
      <div className="view-body">
        <ErrorBoundary what={`The ${view} view`}>
          <LoadedPart
            load={() => loadView(view, page.variant)}
            isShown={isMounted && isOpen}
            props={page}
            loading={<p className="empty loading">{`Loading ${view}.`}</p>}
          />
        </ErrorBoundary>
      </div>
    </section>
  );
}
