import { Panel } from "../../components/Panel.tsx";
import { DurationDots } from "../charts/DurationDots.tsx";
import { fittedTime } from "../charts/fitted_time.ts";
import { BAR_WORDS } from "../charts/ListHistogram.tsx";
import { TimeBars } from "../charts/TimeBars.tsx";
import { fragmentTo, goTo } from "../shared/fragment.ts";
import { useHistogram, useList } from "../data/lists.ts";

const MOST_TICKS = 5;

/** What the charts show of a time, see {@linkcode fittedTime}, and whether that is not all of it. */
export function useChartTime(query: { application: string | undefined; since: string }) {
  const traces = useHistogram({ ...query, of: "traces" }, "overview");
  const errors = useHistogram({ ...query, of: "errors", state: "open" }, "overview");
  const fitted = fittedTime([traces, errors]);
  const { since = query.since, until } = fitted;
  return { shown: { since, until }, isCut: fitted.since !== undefined || until !== undefined };
}

/** Requests, their durations, and errors of the applications over time. */
export function RequestCharts(query: {
  application: string | undefined;
  since: string;
  until: string | undefined;
}) {
  const traces = useHistogram({ ...query, of: "traces" }, "overview");
  const errors = useHistogram({ ...query, of: "errors", state: "open" }, "overview");
  const { rows: newest, state, more } = useList("traces", query, { view: "overview" });
  const dots = newest.flatMap(({ started_at, ended_at, errors, failed }) =>
    ended_at === null
      ? []
      : [{ at: started_at, ms: ended_at - started_at, failed: failed || errors > 0 }]
  );
  const openFrom = (list: "traces" | "errors") => (from: number, to: number) =>
    goTo(fragmentTo(list, [], { since: String(from), until: String(to) }));
  return (
    <div className="charts grid">
      <Panel id="requests" title="Traces" isUnrecorded>
        {traces && (
          <TimeBars
            histogram={traces}
            words={BAR_WORDS.traces}
            mostTicks={MOST_TICKS}
            onChoose={openFrom("traces")}
          />
        )}
      </Panel>
      <Panel id="durations" title="Durations of whole traces" isUnrecorded>
        {traces && (newest.length > 0 || state === "ready") && (
          <DurationDots
            dots={dots.filter(({ at }) => at >= traces.from && at < traces.to)}
            from={traces.from}
            to={traces.to}
            which={more ? "newest" : dots.length < newest.length ? "ended" : ""}
          />
        )}
      </Panel>
      <Panel id="errors-over-time" title="Open errors" isUnrecorded>
        {errors && (
          <TimeBars
            histogram={errors}
            words={BAR_WORDS.errors}
            mostTicks={MOST_TICKS}
            onChoose={openFrom("errors")}
          />
        )}
      </Panel>
    </div>
  );
}
