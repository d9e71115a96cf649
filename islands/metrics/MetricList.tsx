import { breakable } from "../../components/breakable.tsx";
import type { MetricId } from "../../monitoring/models/metric/metric_id.ts";
import type { MetricRow } from "../../monitoring/models/metric/metric_row.ts";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import { queryOf } from "../data/filters.ts";
import { OF_DETAIL, useFragment } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { RowList } from "../kit/RowList.tsx";
import type { Column } from "../kit/Table.tsx";
import { figureName, figureTip, formatFigure, formatWhole } from "./metric_words.ts";

/** A metric in the address: the path of its detail. */
export const pathOf = ({ name, kind, unit }: MetricId): readonly string[] => [name, kind, unit];
export const keyOf = (id: MetricId) => JSON.stringify(pathOf(id));

/** The list of metrics. @param props.openKey of the metric that is open */
export function MetricList({ openKey }: { openKey: string | undefined }) {
  const { params, to } = useFragment();
  const list = useList("metrics", queryOf(params, "metrics"));
  return (
    <RowList
      of="metrics"
      list={{ ...list, keyOf }}
      columns={COLUMNS}
      caption="Metrics, those with the newest values first"
      hrefOf={(row) => to(pathOf(row), OF_DETAIL)}
      openKey={openKey}
      hint={
        <p>
          Your application sends them with <code>Sentry.metrics.count("orders", 1)</code>{" "}
          (version 10.25 or later), or with OpenTelemetry’s SDK, see{" "}
          <a href="#/connect">Connect</a>.
        </p>
      }
      empty={<b>No metrics received.</b>}
    />
  );
}

const COLUMNS: readonly Column<MetricRow>[] = [
  {
    title: "Metric",
    cell: ({ name }, link) => link(breakable(name)),
    aside: {
      title: "Kind",
      applications: ({ applications }) => applications,
      cell: ({ kind, show }) => (
        <span title={figureTip(show, kind)}>{kind}, {figureName(show, kind)}</span>
      ),
    },
  },
  {
    title: "Over time",
    tip: "Of the chosen time, else from the first to the last value of all rows; of a p95 averages",
    width: 6,
    className: "over-time",
    cell: (row) => <Chart row={row} />,
  },
  {
    title: "Value",
    width: 9,
    numeric: true,
    cell: ({ name, kind, unit, show, value, count, points }) => (
      <>
        <b>{value === null ? "–" : formatFigure(value, show, { name, kind, unit })}</b>
        <small
          title={points === null ? "Too many points to add up: the line has the newest" : undefined}
        >
          {points === null
            ? "too many points"
            : count === null
            ? "n not known"
            : `n ${formatWhole(count)}${value === null ? whyNone(show, count) : ""}`}
        </small>
      </>
    ),
  },
];

const whyNone = (show: string, count: number) =>
  show.startsWith("p") && count < MIN_SAMPLES ? ", too few" : ", not known";

const HEIGHT = 20;

/** A line through the parts that have values; dots where the parts beside have none. */
function Chart({ row }: { row: MetricRow }) {
  const { chart, show } = row;
  const values = chart.filter((value) => value !== null);
  if (values.length === 0) return null;
  const [low, high] = [Math.min(0, ...values), Math.max(...values)];
  const y = (value: number) => HEIGHT - 2 - (value - low) / (high - low || 1) * (HEIGHT - 4);
  const path = chart.map((value, part) => {
    if (value === null) return "";
    const isFirst = part === 0 || chart[part - 1] === null;
    return `${isFirst ? "M" : "L"}${part + 0.5} ${y(value).toFixed(1)}${isFirst ? "h.01" : ""}`;
  }).join("");
  const [least, most] = [Math.min(...values), high].map((one) => formatFigure(one, show, row));
  const text = `${least} to ${most}`;
  return (
    <svg
      className="metric-line"
      viewBox={`0 0 ${chart.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text}
    >
      <title>{text}</title>
      <path d={path} />
    </svg>
  );
}
