import type { KeyboardEvent } from "react";
import { MAX_QUERY_LENGTH } from "../../monitoring/models/query/query.ts";
import { QUERY_HELP, SearchInput } from "../kit/SearchField.tsx";
import type { TimeWindow } from "./use_time_window.ts";

/** Search in a trace, expand and collapse its tree, zoom. */
export function TraceToolbar(
  { isNarrow, text, onText, count, current, step, timeWindow, hasSections, tree }: {
    /** On a phone it is behind one button. */
    isNarrow: boolean;
    text: string;
    onText: (text: string) => void;
    /** Number of spans that match the text. */
    count: number;
    /** Which of them was brought into view last; -1: none. */
    current: number;
    /** Brings the next or previous one into view. */
    step: (by: 1 | -1) => void;
    timeWindow: TimeWindow;
    /** The whole trace does not fit on one axis. */
    hasSections: boolean;
    /** Undefined: it is not shown. */
    tree: { expandAll(): void; collapseAll(): void } | undefined;
  },
) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    // The first Escape clears the field, the second leads back to the list.
    else if (event.key === "Escape" && text !== "") onText("");
    else return;
    event.preventDefault();
  };
  const bar = (
    <div className="trace-toolbar line end">
      <SearchInput
        label="Search this trace"
        title={`Searches names, attributes, events and ids, also within words. ${QUERY_HELP}`}
        maxLength={MAX_QUERY_LENGTH}
        size={14}
        value={text}
        onChange={({ target }) => onText(target.value)}
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
        <span className="beside">
          <button type="button" onClick={tree.expandAll}>Expand all</button>
          <button type="button" onClick={tree.collapseAll}>Collapse all</button>
        </span>
      )}
      <span className="beside">
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
