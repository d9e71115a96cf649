import { useEffect } from "react";
import { skipToView } from "./skip_to_view.ts";
import { shownView, useSearched, useView, type View, VIEWS } from "./view.ts";

/** The way between the views: plain links to fragments, which the browser itself follows. */
export default function Tabs() {
  const shown = useView();
  const searched = useSearched();
  useEffect(() => {
    document.documentElement.dataset.view = shown;
    document.title = shown === "overview" ? "Sightglass" : `${VIEWS[shown]} · Sightglass`;
  }, [shown]);
  useEffect(skipToView, []);
  useEffect(() => {
    addEventListener("dragover", keepPage);
    addEventListener("drop", keepPage);
    return () => {
      removeEventListener("dragover", keepPage);
      removeEventListener("drop", keepPage);
    };
  }, []);
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

/** Else the browser would leave the page for a file that is dropped on it; one view alone takes files. */
function keepPage(event: DragEvent): void {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  if (shownView() !== "envelopes") event.dataTransfer.dropEffect = "none";
}
