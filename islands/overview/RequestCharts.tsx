import { useState } from "react";
import { Panel } from "../../components/Panel.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import type { Histogram } from "../../monitoring/models/histogram.ts";
import { DurationDots } from "../charts/DurationDots.tsx";
import { BAR_WORDS } from "../charts/ListHistogram.tsx";
import { TimeBars } from "../charts/TimeBars.tsx";
import { goTo, linkTo } from "../data/fragment.ts";
import type { ConsoleQuery } from "../data/inbox.ts";
import { useHistogramRead } from "../data/lists.ts";
import { retryFailed } from "../data/queries.ts";

const MOST_TICKS = 4;

/**
 * The time of all charts: the one of the address; else from the first to the last trace or error, as text in milliseconds
 * since 1970. Undefined: not known yet.
 */
export function useChartTime(
  filters: ConsoleQuery,
): Pick<ConsoleQuery, "since" | "until"> | undefined {
  const traces = useHistogramRead({ ...filters, of: "traces" });
  const errors = useHistogramRead({ ...filters, of: "errors", state: "open" });
  const { since, until } = filters;
  if (since !== undefined) return { since, until };
  if (!traces.data || !errors.data) {
    // Without charts the list of errors still shows its rows, or why it cannot.
    return traces.failure ?? errors.failure ? { since, until } : undefined;
  }
  const used = [traces.data, errors.data].filter(({ parts }) =>
    parts.some(({ count }) => count > 0)
  );
  if (used.length === 0) return { since, until };
  return {
    since: String(Math.min(...used.map(({ from }) => from))),
    until: until ?? String(Math.max(...used.map(({ to }) => to))),
  };
}

/** Requests, their durations, and errors of the applications over time, with one hovered time. @param props.filters with the time of the charts; undefined: not known yet */
export function RequestCharts({ filters }: { filters: ConsoleQuery | undefined }) {
  const { data: traces, ...ofTraces } = useHistogramRead(filters && { ...filters, of: "traces" });
  const { data: errors, ...ofErrors } = useHistogramRead(
    filters && { ...filters, of: "errors", state: "open" },
  );
  const hover = useState<number>();
  const chartOf = (list: "traces" | "errors", histogram: Histogram) => ({
    ...{ histogram, hover, mostTicks: MOST_TICKS, words: BAR_WORDS[list] },
    onChoose: (from: number, to: number) =>
      goTo(linkTo(list, [], { since: String(from), until: String(to) })),
  });
  return (
    <div className="charts grid">
      <Panel id="requests" title="Traces">
        <Failure of={ofTraces} />
        {traces && <TimeBars {...chartOf("traces", traces)} />}
      </Panel>
      <Panel id="durations" title="Durations">
        <Failure of={ofTraces} />
        {traces && <DurationDots {...chartOf("traces", traces)} />}
      </Panel>
      <Panel id="errors-over-time" title="Open errors">
        <Failure of={ofErrors} />
        {errors && <TimeBars {...chartOf("errors", errors)} />}
      </Panel>
    </div>
  );
}

const Failure = ({ of: { failure } }: { of: { failure?: string | undefined } }) =>
  failure !== undefined && <ReadFailure message={failure} retry={retryFailed} isRepeated />;
