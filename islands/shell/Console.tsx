import { type ComponentType, useEffect, useState } from "react";
import { Mark } from "../../components/Icon.tsx";
import { ErrorBoundary } from "../shared/ErrorBoundary.tsx";
import type { PageFacts } from "../shared/page_facts.ts";
import { useMounted } from "../shared/telemetry.ts";
import { PAGE_VIEWS, useView, type View, viewsOf } from "../shared/view.ts";
import { Navigation } from "./Navigation.tsx";
import { Strip } from "./Strip.tsx";
import { loadSwitcher, loadView } from "./views.ts";

/** The whole page: sidebar, and the views beside it, of which one is shown. */
export default function Console(page: PageFacts) {
  const { variant, route, ingest } = page;
  return (
    <div className="console">
      <header className="sidebar">
        <a className="brand" href="/">
          <Mark />
          <h1>Sightglass</h1>
        </a>
        {variant === "inbox" && <LoadedSwitcher />}
        <Navigation variant={variant} />
        <section className="strip" aria-label="Flow">
          <Strip variant={variant} route={route} ingest={ingest} />
        </section>
      </header>
      <main id="main">
        {viewsOf(variant).map((view) => <ViewSection key={view} view={view} page={page} />)}
      </main>
    </div>
  );
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

/** Views of which only parts show telemetry: these are blocked from recordings themselves. */
const RECORDED: ReadonlySet<View> = new Set(["settings"]);

/** A view. Once opened it stays in the document, so that the user returns to what was there. */
function ViewSection({ view, page }: { view: View; page: PageFacts }) {
  const isMounted = useMounted();
  const current = useView();
  const isOpen = current === view;
  const [Content, setContent] = useState<ComponentType<PageFacts>>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    if (!isMounted || !isOpen || Content) return;
    loadView(view, page.variant).then(
      (Loaded) => setContent(() => Loaded),
      () => setFailed(true),
    );
  }, [isMounted, isOpen]);
  return (
    <section
      className={`view ${view}`}
      aria-labelledby={`${view}-view`}
      // It shows telemetry, which no recording may contain.
      data-sentry-block={RECORDED.has(view) ? undefined : ""}
    >
      <header className="view-head">
        <h2 id={`${view}-view`}>{PAGE_VIEWS[view]}</h2>
      </header>
      <div className="view-body">
        <ErrorBoundary what={`The ${view} view`}>
          {Content
            ? <Content {...page} />
            : hasFailed
            ? <p role="alert">This part of the page did not load. Reload to try again.</p>
            : <p className="empty">{`Loading ${view}.`}</p>}
        </ErrorBoundary>
      </div>
    </section>
  );
}
