import { Fragment } from "react";
import { formatCount, formatDuration, shortId } from "../../components/format.ts";
import { Panel } from "../../components/Panel.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import type {
  MetricContent,
  MetricGroup,
  MetricSample,
} from "../../monitoring/models/metric/metric_content.ts";
import type { MetricId } from "../../monitoring/models/metric/metric_id.ts";
import { readTimeBound } from "../../monitoring/models/time_units.ts";
import { queryOf } from "../data/filters.ts";
import { linkTo, spanHref, useFragment } from "../data/fragment.ts";
import { useLiveRead } from "../data/use_read.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import { Unread } from "../kit/Blank.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { ParamSelect } from "../kit/FilterControls.tsx";
import { numberColumn, Table } from "../kit/Table.tsx";
import { Counts, LineSample, MAX_LINES, MetricChart, useGroupName } from "./MetricChart.tsx";
import {
  figureName,
  figureTip,
  formatFigure,
  formatValue,
  INTERVALS,
  sampleName,
  unitText,
} from "./metric_words.ts";

export function MetricDetail({ id }: { id: MetricId }) {
  const { params } = useFragment();
  const shape = Object.fromEntries(
    ["by", "show", "every"].map((name) => [name, params.get(name) ?? undefined]),
  );
  const content = useLiveRead("metric", { ...queryOf(params, "metrics"), ...id, ...shape });
  const metric = content.value;
  return (
    <DetailView
      className="metric"
      back="All metrics"
      title={id.name}
      facts={
        <>
          <span>
            {[id.kind, unitText(id.unit) && `in ${unitText(id.unit)}`].filter(Boolean).join(" ")}
          </span>
          {metric?.applications.map((key) => <SentBy key={key} keys={[key]} isShort />)}
        </>
      }
      actions={metric && (
        <>
          <Shape metric={metric} />
          <CopyMenu what="metric" json={metric} />
        </>
      )}
    >
      {metric ? <Explorer metric={metric} /> : <Unread what="metric" of={content} />}
    </DetailView>
  );
}

function Shape({ metric: { kind, show, figures, by, attributes, every } }: {
  metric: MetricContent;
}) {
  const { params } = useFragment();
  const chosen = params.get("every") ?? "";
  // A long time has longer intervals.
  const intervalText = (one: string) =>
    one === chosen && -readTimeBound(one, 0)! < every
      ? `${one}, here ${formatDuration(every)}`
      : one;
  const names = attributes.map(({ name, values }) => [name, `${name} (${values})`] as const);
  // It may be of points that are not in the time any more.
  const isKnown = by === null || attributes.some(({ name }) => name === by);
  return (
    <>
      <ParamSelect
        label="Show"
        name="show"
        value={show}
        choices={figures.map((figure) => [figure, figureName(figure, kind)])}
      />
      <ParamSelect
        label="by"
        name="by"
        value={by ?? ""}
        choices={[["", "nothing"], ...names, ...isKnown ? [] : [[by, by] as const]]}
      />
      <ParamSelect
        label="every"
        name="every"
        value={chosen}
        choices={[["", "as fits"], ...INTERVALS.map((one) => [one, intervalText(one)] as const)]}
      />
    </>
  );
}

function Explorer({ metric }: { metric: MetricContent }) {
  const { by, groups, largest, omitted, variants, kind } = metric;
  return (
    <div className="grid">
      {variants.length > 0 && (
        <p className="quiet">
          Also sent with this name, not added up here: {variants.map((variant) => (
            <a
              key={`${variant.kind} ${variant.unit}`}
              href={linkTo("metrics", [variant.name, variant.kind, variant.unit])}
            >
              {variant.kind} {unitText(variant.unit)}
            </a>
          ))}
        </p>
      )}
      <section className="card" aria-label="Over time">
        {groups.length > 0 ? <MetricChart metric={metric} /> : (
          <>
            <p className="empty">No values match the time and the filter.</p>
            <Counts metric={metric} shown={[]} />
          </>
        )}
      </section>
      {groups.length > 0 && (
        <Panel id="metric-groups" title={by === null ? "All values" : `By ${by}`}>
          <Groups metric={metric} />
          {omitted.groups > 0 && (
            <p className="quiet">
              {formatCount(omitted.groups, "further group")} with fewer values
            </p>
          )}
        </Panel>
      )}
      {largest.length > 0 && (
        <Panel id="metric-samples" title={`Largest ${sampleName(kind)}s`}>
          <Samples metric={metric} />
        </Panel>
      )}
    </div>
  );
}

/** Columns of a table of groups. */
const MAX_FIGURES = 6;

function Groups({ metric }: { metric: MetricContent }) {
  const { groups, figures, by, kind, show } = metric;
  const groupName = useGroupName(by);
  const shown = [...new Set([show, ...figures])].slice(0, MAX_FIGURES);
  return (
    <Table<MetricGroup>
      caption="Groups, those with most values first"
      columns={[
        {
          title: by ?? "Group",
          isHead: true,
          cell: (group) => (
            <span className="beside">
              {groups.indexOf(group) < MAX_LINES && <LineSample n={groups.indexOf(group)} />}
              <span className="one-line">{groupName(group.value)}</span>
            </span>
          ),
        },
        numberColumn(kind === "counter" ? "Points" : "Samples", ({ count }) =>
          count && Math.round(count), {
          tip: kind === "counter" ? "Number of points" : figureTip("count", kind),
          width: 5,
        }),
        ...shown.filter((figure) =>
          figure !== "count"
        ).map((figure) => ({
          title: figureName(figure, kind),
          tip: figureTip(figure, kind),
          width: kind === "histogram" ? 8 : 6,
          numeric: true,
          isWide: figure !== show,
          cell: ({ figures }: MetricGroup) => {
            const value = figures[figure] ?? null;
            return value === null ? "–" : formatFigure(value, figure, metric);
          },
        })),
      ]}
      rows={groups}
      keyOf={({ value }) => JSON.stringify(value)}
    />
  );
}

/** Attributes of a sample in its row. */
const MAX_ATTRIBUTES = 4;

function Samples({ metric: { largest, kind, unit } }: { metric: MetricContent }) {
  const { path, to } = useFragment();
  const attributesOf = ({ attributes }: MetricSample) =>
    Object.entries(attributes).slice(0, MAX_ATTRIBUTES).map(([name, value]) => (
      <Fragment key={name}>
        <a href={to(path, { by: name })} title={`Group by ${name}`}>{`${name}=${value}`}</a>
        {" "}
      </Fragment>
    ));
  return (
    <Table<MetricSample>
      caption={`Largest ${sampleName(kind)}s`}
      columns={[
        { title: "Time", width: 8, cell: ({ at }) => <Timestamp at={at} precision="ms" /> },
        { title: "Attributes", isWide: true, cell: attributesOf },
        { title: "Value", width: 6, numeric: true, cell: ({ value }) => formatValue(value, unit) },
        {
          title: "Trace",
          width: 6,
          numeric: true,
          cell: (sample) =>
            sample.trace_id === null
              ? "–"
              : <a className="mono" href={spanHref(sample)}>{shortId(sample.trace_id)}</a>,
        },
      ]}
      rows={largest}
      keyOf={(sample) => JSON.stringify(sample)}
    />
  );
}
