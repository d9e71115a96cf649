import { type ComponentType, useEffect, useState } from "react";
import { useTelemetry } from "./telemetry.ts";
import { currentView, PAGE_VIEWS, useSharedParams, useView, type View, viewsOf } from "./view.ts";

/**
 * The navigation between views: links to fragments.
 *
 * @param props.variant `inbox` or `relay`
 */
export default function Tabs({ variant }: { variant: string }) {
  const Count = useTabCount();
  const current = useView();
  const search = useSharedParams();
  useEffect(() => {
    document.documentElement.dataset.view = current;
    document.title = current === "overview" ? "Sightglass" : `${PAGE_VIEWS[current]} · Sightglass`;
  }, [current]);
  useEffect(handleSkipLink, []);
  useEffect(() => {
    addEventListener("dragover", preventFileNavigation);
    addEventListener("drop", preventFileNavigation);
    return () => {
      removeEventListener("dragover", preventFileNavigation);
      removeEventListener("drop", preventFileNavigation);
    };
  }, []);
  return (
    <nav className="tabs" aria-label="Views">
      {viewsOf(variant).map((view) => (
        <a
          key={view}
          href={view === "overview" ? "#/" : `#/${view}${search}`}
          aria-current={view === current ? "page" : undefined}
        >
          {PAGE_VIEWS[view]}
          {Count && <Count view={view} variant={variant} />}
        </a>
      ))}
    </nav>
  );
}

/** The counts are loaded after the page's first scripts, with what shows that telemetry runs. */
function useTabCount() {
  const { phase } = useTelemetry();
  const isStarting = phase === "waiting";
  const [Count, setCount] = useState<ComponentType<{ view: View; variant: string }>>();
  useEffect(() => {
    if (isStarting) return;
    // Without them the tabs work.
    import("./TabCount.tsx").then(({ TabCount }) => setCount(() => TabCount), () => {});
  }, [isStarting]);
  return Count;
}

/** Without this the browser opens a file that is dropped on the page. Only the envelopes view accepts files. */
function preventFileNavigation(event: DragEvent): void {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  if (currentView() !== "envelopes") event.dataTransfer.dropEffect = "none";
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
