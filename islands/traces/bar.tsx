import { type KeyboardEvent, useState } from "react";
import type { Zooming } from "./time_window.ts";

/** What can be done with a trace: search in it, look closer, fold it. */
export function TraceBar({ text, onText, hits, onHit, zooming, onCollapse, onExpand }: {
  text: string;
  onText: (text: string) => void;
  /** Keys of the spans that were found, in the tree's order. */
  hits: readonly string[];
  onHit: (key: string) => void;
  zooming: Omit<Zooming, "window">;
  onCollapse: () => void;
  onExpand: () => void;
}) {
  const [at, setAt] = useState(-1);
  const current = Math.min(at, hits.length - 1);
  const step = (by: number) => {
    if (hits.length === 0) return;
    const next = current < 0
      ? (by > 0 ? 0 : hits.length - 1)
      : (current + by + hits.length) % hits.length;
    setAt(next);
    onHit(hits[next]!);
  };
  const clear = () => {
    onText("");
    setAt(-1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    // The first Escape is the field's, the next one leads back to the list.
    else if (event.key !== "Escape" || text === "") return;
    else clear();
    event.preventDefault();
  };
  return (
    <div className="bar trace-bar">
      <form role="search" className="search" onSubmit={(event) => event.preventDefault()}>
        <label htmlFor="trace-search" className="vh">Search this trace</label>
        <input
          id="trace-search"
          type="search"
          placeholder="Name, operation or id"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={({ target }) => {
            onText(target.value);
            setAt(-1);
          }}
          onKeyDown={onKeyDown}
        />
      </form>
      <output aria-live="polite">
        {text.trim() === ""
          ? ""
          : current < 0
          ? `${hits.length} found`
          : `${current + 1} of ${hits.length}`}
      </output>
      <button type="button" disabled={hits.length === 0} onClick={() => step(-1)}>Previous</button>
      <button type="button" disabled={hits.length === 0} onClick={() => step(1)}>Next</button>
      <span className="group">
        <button type="button" onClick={onExpand}>Expand all</button>
        <button type="button" onClick={onCollapse}>Collapse all</button>
      </span>
      <span className="group">
        <button type="button" aria-label="Zoom out" onClick={zooming.out}>−</button>
        <button type="button" aria-label="Zoom in" onClick={zooming.in}>+</button>
        <button type="button" onClick={zooming.reset}>Whole trace</button>
      </span>
    </div>
  );
}
