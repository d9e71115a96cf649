import { Panel } from "../../components/Panel.tsx";
import { APPLICATIONS } from "../../monitoring/models/rows.ts";
import { DurationDots } from "../charts/DurationDots.tsx";
import { BAR_WORDS } from "../charts/ListHistogram.tsx";
import { TimeBars } from "../charts/TimeBars.tsx";
import { fragmentTo, goTo } from "../shared/fragment.ts";
import type { DataSource } from "../shared/source/source.ts";
import { useList } from "../shared/use_source.ts";

const MOST_TICKS = 5;

/** Requests, their durations, and errors of the applications over time. */
export function RequestCharts({ source, since }: {
  source: DataSource | undefined;
  since: string;
}) {
  const query = { source: APPLICATIONS, since };
  const view = { view: "overview" } as const;
  const traces = useList(source, "histogram", { ...query, of: "traces" }, view).rows[0];
  const errors = useList(source, "histogram", { ...query, of: "errors" }, view).rows[0];
  const newest = useList(source, "traces", query, view).rows;
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
