import type { HistogramList } from "../../monitoring/models/histogram.ts";
import { changeParams, useFragment } from "../data/fragment.ts";
import type { ConsoleQuery } from "../data/inbox.ts";
import { type BarWords, TimeBars } from "./TimeBars.tsx";
import { useHistogram } from "../data/lists.ts";

export const BAR_WORDS: Readonly<Record<HistogramList, BarWords>> = {
  traces: { what: "trace", failed: "failed" },
  errors: { what: "error", failed: "unhandled" },
  logs: { what: "log", warned: "warn", failed: "error, fatal" },
  feedback: { what: "message", failed: "" },
  endpoints: { what: "run", failed: "failed" },
};

/** The rows of a list over time, with the list's filters. Dragging sets the list's time filter. */
export function ListHistogram({ of, query, application }: {
  of: HistogramList;
  query: ConsoleQuery;
  application?: string | undefined;
}) {
  const { data: histogram } = useHistogram({ ...query, of });
  const { path, to } = useFragment();
  // Its room is kept free, so that the list does not move.
  if (histogram === undefined) return <div className="time-bars loading" />;
  return (
    <TimeBars
      histogram={histogram}
      words={BAR_WORDS[of]}
      application={application}
      earlierHref={query.since ? undefined : (until) => to(path, { until })}
      onChoose={(from, to) => changeParams({ since: String(from), until: String(to) })}
    />
  );
}
