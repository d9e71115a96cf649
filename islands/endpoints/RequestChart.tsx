import { useRef, useState } from "react";
import { formatCount, formatDuration } from "../../components/format.ts";
import { formatTimeOfDay } from "../../components/format_time.ts";
import type {
  EndpointContent,
  EndpointRun,
} from "../../monitoring/models/trace/endpoint_content.ts";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import { nearestPoint, PointTip } from "../charts/PointTip.tsx";
import { ReleaseMarks } from "../charts/ReleaseMarks.tsx";
import { durationScale, RunMarks } from "../charts/RunMarks.tsx";
import { TimeAxis } from "../charts/TimeAxis.tsx";
import { goTo, spanHref } from "../data/fragment.ts";

/** Each run over time, with the medians. A click on one opens its trace; lists have links for the keyboard. */
export function RequestChart({ content: { row, runs } }: { content: EndpointContent }) {
  const plot = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState<EndpointRun>();
  const [first, last] = [runs.at(-1)!.at, runs[0]!.at];
  const room = Math.max(1_000, last - first) * 0.02;
  const [from, to] = [first - room, last + room];
  const y = durationScale(runs);
  const placeOf = ({ at, ms }: EndpointRun) => [(at - from) / (to - from), y(ms) / 100] as const;
  const medians = (["since", "before"] as const).flatMap((side) => {
    const ms = (side === "since" ? row : row.before)?.median ?? null;
    const own = runs.filter((run) => run.side === side);
    return ms === null || own.length === 0
      ? []
      : { side, ms, first: own.at(-1)!.at, last: own[0]!.at };
  });
  return (
    <div className="request-chart">
      <figure className="time-bars dots">
        <div
          className="plot"
          ref={plot}
          data-near={near && ""}
          onPointerMove={(event) => setNear(nearestPoint(event, plot.current!, runs, placeOf))}
          onPointerLeave={() => setNear(undefined)}
          onClick={() => near && goTo(spanHref(near))}
        >
          <RunMarks runs={runs} from={from} to={to} medians={medians} />
          <ReleaseMarks from={from} to={to} application={row.application} />
          {near && (
            <PointTip at={placeOf(near)}>
              <b>{formatDuration(near.ms)}</b> {near.failed && "failed "}
              <span className="quiet">{formatTimeOfDay(near.at)}</span>
            </PointTip>
          )}
        </div>
        <TimeAxis from={from} to={to} most={7} />
      </figure>
      {runs.length >= MIN_SAMPLES && <Spread runs={runs} />}
    </div>
  );
}

/** Bars of the spread, as high as a few dots. */
const BINS = 20;
const KINDS = ["before", "since", "failed"] as const;

/** How many runs took how long, on the scale of the dots beside it: of the newest release below those of others. */
function Spread({ runs }: { runs: EndpointContent["runs"] }) {
  const y = durationScale(runs);
  const bars = [...Map.groupBy(runs, ({ ms }) => Math.floor(y(ms) / 100 * BINS))]
    .flatMap(([bin, all]) =>
      (["before", "since"] as const).map((side, row) => {
        const ofSide = all.filter((run) => run.side === side);
        const failed = ofSide.filter((run) => run.failed).length;
        return { at: 2 * bin + row, side, failed, count: ofSide.length };
      })
    );
  const most = Math.max(...bars.map(({ count }) => count));
  const pathOf = (kind: (typeof KINDS)[number]) =>
    bars.filter(({ side }) => kind === "failed" || side === kind)
      .map((bar) => `M0 ${bar.at}h${kind === "failed" ? bar.failed : bar.count}v.9H0z`).join("");
  const isCompared = runs.some(({ side }) => side === "before");
  return (
    <figure className="spread">
      <div className="plot">
        <svg viewBox={`0 0 ${most} ${2 * BINS}`} preserveAspectRatio="none" aria-hidden="true">
          {KINDS.map((kind) => <path key={kind} className={kind} d={pathOf(kind)} />)}
        </svg>
      </div>
      <figcaption className="small quiet one-line">
        Spread, up to {formatCount(most, "run")}
        {isCompared && ", others pale"}
      </figcaption>
    </figure>
  );
}
