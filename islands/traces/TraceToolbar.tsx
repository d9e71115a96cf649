import { type KeyboardEvent, useState } from "react";
import { SearchInput } from "../kit/SearchField.tsx";
import type { TimeWindow } from "./use_time_window.ts";

/** Search in a trace, expand and collapse its tree, zoom. */
export function TraceToolbar(
  { isNarrow, text, onText, matches, onShowMatch, timeWindow, hasSections, tree }: {
    /** On a phone it is behind one button. */
    isNarrow: boolean;
    text: string;
    onText: (text: string) => void;
    /** Keys of the spans that match the text, in the tree's order. */
    matches: readonly string[];
    /** Brings the span with this key into view. */
    onShowMatch: (key: string) => void;
    timeWindow: TimeWindow;
    /** The whole trace does not fit on one axis. */
    hasSections: boolean;
    /** Undefined: it is not shown. */
    tree: { expandAll(): void; collapseAll(): void } | undefined;
  },
) {
  const [selected, setSelected] = useState(-1);
  const count = matches.length;
  const current = Math.min(selected, count - 1);
  const step = (by: 1 | -1) => {
    if (count === 0) return;
    const first = by > 0 ? 0 : count - 1;
    const next = current < 0 ? first : (current + by + count) % count;
    setSelected(next);
    onShowMatch(matches[next]!);
  };
  const search = (text: string) => {
    onText(text);
    setSelected(-1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    // The first Escape clears the field, the second leads back to the list.
    else if (event.key === "Escape" && text !== "") search("");
    else return;
    event.preventDefault();
  };
  const bar = (
    <div className="trace-toolbar line end">
      <SearchInput
        label="Search this trace"
        title="Searches names, operations and ids"
        value={text}
        onChange={({ target }) => search(target.value)}
        onKeyDown={onKeyDown}
      />
      <output className="quiet" aria-live="polite">
        {text.trim() !== "" && (current < 0 ? `${count} found` : `${current + 1} of ${count}`)}
      </output>
      {text.trim() !== "" && (
        <>
          <button type="button" disabled={count === 0} onClick={() => step(-1)}>Previous</button>
          <button type="button" disabled={count === 0} onClick={() => step(1)}>Next</button>
        </>
      )}
      {tree && (
        <span className="group">
          <button type="button" onClick={tree.expandAll}>Expand all</button>
          <button type="button" onClick={tree.collapseAll}>Collapse all</button>
        </span>
      )}
      <span className="group">
        <button type="button" aria-label="Zoom out" onClick={timeWindow.zoomOut}>−</button>
        <button type="button" aria-label="Zoom in" onClick={timeWindow.zoomIn}>+</button>
        {hasSections && <button type="button" onClick={timeWindow.fit}>Fit spans</button>}
        <button type="button" onClick={timeWindow.showWhole}>Whole trace</button>
      </span>
    </div>
  );
  return isNarrow
    ? (
      <details>
        <summary>Search and zoom</summary>
        {bar}
      </details>
    )
    : bar;
}
