import type { HistogramList } from "../../monitoring/models/rows.ts";
import { changeParams } from "../shared/fragment.ts";
import type { ConsoleQuery } from "../data/source.ts";
import type { View } from "../shared/view.ts";
import { type BarWords, TimeBars } from "./TimeBars.tsx";
import { useHistogram } from "../data/lists.ts";

export const BAR_WORDS: Readonly<Record<HistogramList, BarWords>> = {
  traces: { what: "trace", failed: "failed" },
  errors: { what: "error", failed: "unhandled" },
  logs: { what: "log", warned: "warn", failed: "error, fatal" },
};

/**
 * The rows of a list over time, with the list's filters. Dragging sets the list's time filter.
 *
 * @param props.view the view that shows it
 */
export function ListHistogram({ of, query, view = of }: {
  of: HistogramList;
  query: ConsoleQuery;
  view?: View;
}) {
  const histogram = useHistogram({ ...query, of }, view);
  // Its room is kept free, so that the list does not move.
  if (histogram === undefined) return <div className="time-bars loading" />;
  return (
    <TimeBars
      histogram={histogram}
      words={BAR_WORDS[of]}
      onChoose={(from, to) => changeParams({ since: String(from), until: String(to) })}
    />
  );
}
