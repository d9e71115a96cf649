import { Panel } from "../../components/Panel.tsx";
import { DurationDots } from "../charts/DurationDots.tsx";
import { BAR_WORDS } from "../charts/ListHistogram.tsx";
import { TimeBars } from "../charts/TimeBars.tsx";
import { fragmentTo, goTo } from "../shared/fragment.ts";
import { useHistogram, useList } from "../data/lists.ts";

const MOST_TICKS = 5;

/** Requests, their durations, and errors of the applications over time. */
export function RequestCharts({ source, since }: {
  source: string | undefined;
  since: string;
}) {
  const query = { source, since };
  const traces = useHistogram({ ...query, of: "traces" }, "overview");
  const errors = useHistogram({ ...query, of: "errors" }, "overview");
  const newest = useList("traces", query, { view: "overview" }).rows;
  const dots = newest.flatMap(({ started_at, ended_at, errors, failed }) =>
    ended_at === null
      ? []
      : [{ at: started_at, ms: ended_at - started_at, failed: failed || errors > 0 }]
  );
  const openFrom = (list: "traces" | "errors") => (from: number, to: number) =>
    goTo(fragmentTo(list, [], { since: String(from), until: String(to) }));
  return (
    <div className="charts">
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
      <Panel id="durations" title="Durations" isUnrecorded>
        {traces && (
          <DurationDots
            dots={dots.filter(({ at }) => at >= traces.from && at < traces.to)}
            from={traces.from}
            to={traces.to}
            hasOthers={dots.length < newest.length}
          />
        )}
      </Panel>
      <Panel id="errors-over-time" title="Errors" isUnrecorded>
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
