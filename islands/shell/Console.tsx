import { type ComponentType, useEffect, useState, useSyncExternalStore } from "react";
import { Mark } from "../../components/Icon.tsx";
import { Loading } from "../../components/ReadFailure.tsx";
import { useTelemetry } from "../data/telemetry.ts";
import { ErrorBoundary } from "../kit/ErrorBoundary.tsx";
import { LoadedPart } from "../kit/LoadedPart.tsx";
import type { PageFacts } from "../../components/page_facts.ts";
import { isForOthers, isShown, useKeys } from "../kit/use_keys.ts";
import {
  currentView,
  navigation,
  subscribeToFragment,
  useCurrentView,
  ViewContext,
  viewFragment,
} from "../data/view.ts";
import type { PipelineEnds } from "../pipeline/PipelineCounts.tsx";
import { Navigation } from "./Navigation.tsx";
import { type View, VIEWS } from "./registry.ts";

/** The whole page: sidebar, and the views beside it, of which one is shown. */
export default function Console(page: PageFacts) {
  const { variant, route } = page;
  // After a frame: rules for single elements come first.
  useEffect(
    () =>
      subscribeToFragment(({ isTrusted }) => {
        if (!isTrusted) return;
        navigation.hasHappened = true;
        requestAnimationFrame(focusHeading);
      }),
    [],
  );
  return (
    <div className="console">
      <header className="sidebar">
        <a className="brand beside bare" href="/">
          <Mark />
          <h1>Sightglass</h1>
          <PhoneTitle />
        </a>
        {variant === "inbox" && (
          <div className="switcher-place" data-sentry-block="">
            <LoadedPart load={loadSwitcher} props={{}} loading={null} />
          </div>
        )}
        <Navigation variant={variant} />
        <section className="strip" aria-label="Pipeline status">
          <PipelineMark variant={variant} route={route} />
        </section>
      </header>
      <main id="main">
        {VIEWS.map((view) => (
          <ViewContext key={view.id} value={view}>
            <ViewSection view={view} page={page} />
          </ViewContext>
        ))}
      </main>
      <LoadedHelp variant={variant} />
    </div>
  );
}

/** The title of the current view, on a phone in the place of the product's. The view has the heading. */
function PhoneTitle() {
  const current = useCurrentView();
  const view = VIEWS.find(({ id }) => id === current);
  return <b className="title" aria-hidden="true">{view?.title}</b>;
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

/** Loads a view that is opened for the first time, and its styles, and begins to read what all views share. */
async function loadView({ id, load }: View, variant: string): Promise<ComponentType<PageFacts>> {
  const code = load[variant] ?? (() => import("../overview/InSentry.tsx"));
  const [module] = await Promise.all([code(), startReading(), loadStyle(id)]);
  return module.default;
}

/**
 * Loads the style sheet of a view (`islands/…/VIEW.css`) once, and waits for it, so that nothing is drawn without it.
 *
 * @throws {Error} it did not load
 */
async function loadStyle(view: string): Promise<void> {
  let href: string;
  try {
    href = import.meta.resolve(`${view}.css`);
  } catch {
    // The view has none.
    return;
  }
  const links = [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")];
  if (links.some((link) => link.href === href && link.sheet)) return;
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  await new Promise((resolve, reject) => {
    link.onload = resolve;
    link.onerror = () => {
      link.remove();
      reject(new Error(`The styles of ${view} did not load.`));
    };
    document.head.append(link);
  });
}

const startReading = () => import("../background_code.ts").then((code) => code.startReading());

/** The choice of an application needs the data of the views, so it is loaded with the first of them. */
async function loadSwitcher() {
  const [code] = await Promise.all([import("./Switcher.tsx"), startReading()]);
  return code.Switcher;
}

function LoadedHelp({ variant }: { variant: string }) {
  const [isOpen, setOpen] = useState(false);
  useKeys((event) => {
    if (event.key !== "?" || isForOthers(event)) return false;
    setOpen(true);
    return true;
  });
  return isOpen && (
    <LoadedPart
      load={async () => (await import("./Help.tsx")).Help}
      props={{ variant, close: () => setOpen(false) }}
      loading={null}
    />
  );
}

const subscribeToNothing = () => () => {};

/** False in the prerendered HTML and during hydration, then true. */
const useMounted = () => useSyncExternalStore(subscribeToNothing, () => true, () => false);

/** A view. Once opened it stays in the document, so that the user returns to what was there. */
function ViewSection({ view, page }: { view: View; page: PageFacts }) {
  const { id, title } = view;
  const isMounted = useMounted();
  const current = useCurrentView();
  return (
    <section
      className={`view ${id}`}
      data-current={current === id || undefined}
      aria-labelledby={`${id}-view`}
      // It shows telemetry, which no recording may contain.
      data-sentry-block={view.isRecorded ? undefined : ""}
    >
      <header className="view-head head beside">
        <h2 id={`${id}-view`} className="title" tabIndex={-1}>{title}</h2>
      </header>
      <div className="view-body">
        <ErrorBoundary what={`The ${id} view`}>
          <LoadedPart
            load={() => loadView(view, page.variant)}
            isShown={isMounted && current === id}
            props={page}
            loading={<Loading what={id} />}
          />
        </ErrorBoundary>
      </div>
    </section>
  );
}

/** The pipeline in the sidebar, once telemetry runs or has failed. Before, nothing can be sent. */
function PipelineMark(ends: PipelineEnds) {
  const { phase } = useTelemetry();
  return (
    <ErrorBoundary what="The pipeline">
      <LoadedPart
        load={async () => (await import("./LivePipelineMark.tsx")).LivePipelineMark}
        isShown={phase === "running" || phase === "failed"}
        props={ends}
        loading={null}
      />
    </ErrorBoundary>
  );
}
