import { useState } from "react";
import { Panel } from "../../components/Panel.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import type { Histogram } from "../../monitoring/models/histogram.ts";
import { DurationDots } from "../charts/DurationDots.tsx";
import { BAR_WORDS } from "../charts/ListHistogram.tsx";
import { TimeBars } from "../charts/TimeBars.tsx";
import { goTo, linkTo } from "../data/fragment.ts";
import type { ConsoleQuery } from "../data/inbox.ts";
import { useHistogram } from "../data/lists.ts";
import { retryFailed } from "../data/queries.ts";

const MOST_TICKS = 4;

type Time = Pick<ConsoleQuery, "since" | "until">;

/**
 * The time of the address; else from the first to the last trace or error, as text in milliseconds since 1970. `charts`
 * leave out few old ones, `lists` do not. Undefined: not known yet.
 */
export function useUsedTime(filters: ConsoleQuery): Record<"charts" | "lists", Time> | undefined {
  const traces = useHistogram({ ...filters, of: "traces" });
  const errors = useHistogram({ ...filters, of: "errors", state: "open" });
  const { since, until } = filters;
  const chosen = { charts: { since, until }, lists: { since, until } };
  if (since !== undefined) return chosen;
  if (!traces.data || !errors.data) {
    // Without charts the list of errors still shows its rows, or why it cannot.
    return traces.failure ?? errors.failure ? chosen : undefined;
  }
  const used = [traces.data, errors.data].filter(({ parts }) =>
    parts.some(({ count }) => count > 0)
  );
  if (used.length === 0) return chosen;
  const timeFrom = (starts: readonly number[]) => ({
    since: String(Math.min(...starts)),
    until: until ?? String(Math.max(...used.map(({ to }) => to))),
  });
  return {
    charts: timeFrom(used.map(({ from }) => from)),
    lists: timeFrom(used.map(({ from, first = from }) => first)),
  };
}

/** A histogram of the time of the charts, beside which all earlier rows are counted. */
function useChart(of: "traces" | "errors", filters: ConsoleQuery, time: Time | undefined) {
  const query = { ...filters, of, ...of === "errors" && { state: "open" } };
  const { data: whole } = useHistogram(query);
  const { data, failure } = useHistogram(time && { ...query, ...time });
  const sumOf = ({ parts, earlier, later }: Histogram) =>
    parts.reduce((sum, { count }) => sum + count, earlier + later);
  const left = whole?.first !== undefined && data ? sumOf(whole) - sumOf(data) : 0;
  return { failure, histogram: data && { ...data, earlier: data.earlier + Math.max(0, left) } };
}

/**
 * Requests, their durations, and errors of the applications over time, with one hovered time.
 *
 * @param props.time of the charts; undefined: not known yet
 */
export function RequestCharts({ filters, time }: {
  filters: ConsoleQuery;
  time: Time | undefined;
}) {
  const { histogram: traces, ...ofTraces } = useChart("traces", filters, time);
  const { histogram: errors, ...ofErrors } = useChart("errors", filters, time);
  const hover = useState<number>();
  const chartOf = (list: "traces" | "errors", histogram: Histogram) => ({
    ...{ histogram, hover, mostTicks: MOST_TICKS, words: BAR_WORDS[list] },
    earlierHref: filters.since ? undefined : (until: string) => linkTo(list, [], { until }),
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

const Failure = ({ of: { failure } }: { of: { failure: string | undefined } }) =>
  failure !== undefined && <ReadFailure message={failure} retry={retryFailed} isRepeated />;
