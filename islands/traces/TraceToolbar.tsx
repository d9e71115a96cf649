import type { KeyboardEvent } from "react";
import { MAX_QUERY_LENGTH } from "../../monitoring/models/query/query.ts";
import { Menu } from "../kit/Menu.tsx";
import { QUERY_HELP, SearchInput } from "../kit/SearchField.tsx";
import type { TimeWindow } from "../charts/use_time_window.ts";

export function TraceSearch({ text, onText, count, current, step }: {
  text: string;
  onText: (text: string) => void;
  count: number;
  /** Which of them was brought into view last; -1: none. */
  current: number;
  /** Brings the next or previous one into view. */
  step: (by: 1 | -1) => void;
}) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    // The first Escape clears the field, the second leads back to the list.
    else if (event.key === "Escape" && text !== "") onText("");
    else return;
    event.preventDefault();
  };
  return (
    <div className="line">
      <SearchInput
        label="Search this trace"
        title={`Searches names, attributes, events, errors, logs and ids, also within words. ${QUERY_HELP}`}
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
    </div>
  );
}

/** Expands and collapses the tree, and zooms. */
export function TraceMenu({ timeWindow, hasSections, tree }: {
  timeWindow: TimeWindow;
  /** The whole trace does not fit on one axis. */
  hasSections: boolean;
  /** Undefined: it is not shown. */
  tree: { expandAll(): void; collapseAll(): void } | undefined;
}) {
  const actions: (readonly [name: string, act: () => void])[] = [
    ...tree ? [["Expand all", tree.expandAll], ["Collapse all", tree.collapseAll]] as const : [],
    ["Zoom in", timeWindow.zoomIn],
    ["Zoom out", timeWindow.zoomOut],
    ...hasSections ? [["Fit spans", timeWindow.fit]] as const : [],
    ["Whole trace", timeWindow.showWhole],
  ];
  return (
    <Menu name="More about the trace">
      {() =>
        actions.map(([name, act]) => <button key={name} type="button" onClick={act}>{name}
        </button>)}
    </Menu>
  );
}
