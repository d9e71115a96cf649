import { useEffect } from "react";
import { useView, type View, VIEWS } from "./_view.ts";

/** The way between the views: plain links to fragments, which the browser itself follows. */
export default function Tabs() {
  const shown = useView();
  useEffect(() => {
    document.documentElement.dataset.view = shown;
    document.title = shown === "overview" ? "Sightglass" : `${VIEWS[shown]} · Sightglass`;
  }, [shown]);
  return (
    <nav className="tabs" aria-label="Views">
      {(Object.keys(VIEWS) as View[]).map((view) => (
        <a
          key={view}
          href={view === "overview" ? "#/" : `#/${view}`}
          aria-current={view === shown ? "page" : undefined}
        >
          {VIEWS[view]}
        </a>
      ))}
    </nav>
  );
}
