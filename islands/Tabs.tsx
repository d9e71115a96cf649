import { useEffect } from "react";
import { useSearched, useView, type View, VIEWS } from "./_console/view.ts";

/** The way between the views: plain links to fragments, which the browser itself follows. */
export default function Tabs() {
  const shown = useView();
  const searched = useSearched();
  useEffect(() => {
    document.documentElement.dataset.view = shown;
    document.title = shown === "overview" ? "Sightglass" : `${VIEWS[shown]} · Sightglass`;
  }, [shown]);
  return (
    <nav className="tabs" aria-label="Views">
      {(Object.keys(VIEWS) as View[]).map((view) => (
        <a
          key={view}
          href={view === "overview" ? "#/" : `#/${view}${searched}`}
          aria-current={view === shown ? "page" : undefined}
        >
          {VIEWS[view]}
        </a>
      ))}
    </nav>
  );
}
