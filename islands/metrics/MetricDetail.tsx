import { Fragment, useState } from "react";
import { formatCount, shortId } from "../../components/format.ts";
import { Panel } from "../../components/Panel.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import type {
  MetricContent,
  MetricGroup,
  MetricSample,
} from "../../monitoring/models/metric/metric_content.ts";
import type { MetricId } from "../../monitoring/models/metric/metric_id.ts";
import { queryOf } from "../data/filters.ts";
import { changeParams, fragmentTo, linkTo, useFragment, useIsVisible } from "../data/fragment.ts";
import { LIVE } from "../data/queries.ts";
import { read } from "../data/read.ts";
import { useRead } from "../data/use_read.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import { Unread } from "../kit/Blank.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { Table } from "../kit/Table.tsx";
import { LineSample, MAX_LINES, MetricChart, traceHref, useGroupName } from "./MetricChart.tsx";
import {
  figureName,
  figureTip,
  formatFigure,
  formatValue,
  formatWhole,
  INTERVALS,
  sampleName,
  unitText,
} from "./metric_words.ts";

/** A metric over time, by the values of an attribute. */
export function MetricDetail({ id }: { id: MetricId }) {
  const { params } = useFragment();
  const isVisible = useIsVisible();
  const shape = Object.fromEntries(
    ["by", "show", "every"].map((name) => [name, params.get(name) ?? undefined]),
  );
  const query = { ...queryOf(params, "metrics"), ...id, ...shape };
  const content = useRead([LIVE, "metric", query], isVisible && (() => read("metric", query)));
  const metric = content.value;
  return (
    <DetailView
      className="metric"
      back={{ text: "All metrics", href: fragmentTo("metrics", [], Object.fromEntries(params)) }}
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
          <CopyMenu
            what="metric"
            texts={{ "Copy as JSON": () => JSON.stringify(metric, null, 2) }}
          />
        </>
      )}
    >
      {metric ? <Explorer metric={metric} /> : <Unread what="metric" of={content} />}
    </DetailView>
  );
}

/** What is shown: figure, attribute, interval. */
function Shape({ metric: { kind, show, figures, by, attributes } }: { metric: MetricContent }) {
  const { params } = useFragment();
  const names = attributes.map(({ name, values }) => [name, `${name} (${values})`] as const);
  // It may be of points that are not in the time any more.
  const isKnown = by === null || attributes.some(({ name }) => name === by);
  return (
    <>
      <Choice
        label="Show"
        name="show"
        value={show}
        choices={figures.map((figure) => [figure, figureName(figure, kind)])}
      />
      <Choice
        label="by"
        name="by"
        value={by ?? ""}
        choices={[["", "nothing"], ...names, ...isKnown ? [] : [[by, by] as const]]}
      />
      <Choice
        label="every"
        name="every"
        value={params.get("every") ?? ""}
        choices={[["", "as fits"], ...INTERVALS.map((one) => [one, one] as const)]}
      />
    </>
  );
}

function Choice({ label, name, value, choices }: {
  label: string;
  name: string;
  value: string;
  choices: readonly (readonly [value: string, text: string])[];
}) {
  return (
    <label className="beside quiet">
      {label}
      <select value={value} onChange={({ target }) => changeParams({ [name]: target.value })}>
        {choices.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
      </select>
    </label>
  );
}

function Explorer({ metric }: { metric: MetricContent }) {
  const hidden = useState<ReadonlySet<string | null>>(new Set());
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
        {groups.length === 0
          ? <p className="empty">No values in this time.</p>
          : <MetricChart metric={metric} hidden={hidden} />}
        <p className="metric-counts quiet">
          <Counts metric={metric} hidden={hidden[0]} />
        </p>
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

/** What of the intervals is shown, and what is left out. */
function Counts({ metric: { groups, intervals, omitted }, hidden }: {
  metric: MetricContent;
  hidden: ReadonlySet<string | null>;
}) {
  const { too_few, without_value, unknown } = intervals;
  const shown = groups.slice(0, MAX_LINES).filter(({ value }) => !hidden.has(value))
    .flatMap(({ points }) => points).filter(({ value }) => value !== null).length;
  const parts = [
    [intervals.shown - shown, "of lines not drawn"],
    [too_few, "with too few values"],
    [without_value, "without value"],
    [unknown, "not known: no point before, or not sent"],
  ] as const;
  const others = parts.filter(([count]) => count > 0).map(([count, text]) => `${count} ${text}`);
  const all = intervals.shown + too_few + without_value + unknown;
  const left = [
    ...omitted.older ? ["older points"] : [],
    ...omitted.series > 0 ? [formatCount(omitted.series, "series", "series")] : [],
  ];
  return (
    <>
      <b title="Intervals of all groups that have points">
        {shown} of {formatCount(all, "point")} shown
      </b>
      {others.length > 0 && `, ${others.join(", ")}`}
      {left.length > 0 && `; left out, for the size: ${left.join(", ")}`}
    </>
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
      className="data-table"
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
        {
          title: kind === "counter" ? "Points" : "n",
          tip: kind === "counter" ? "Number of points" : figureTip("count", kind),
          width: 5,
          numeric: true,
          cell: ({ count }) => formatWhole(count),
        },
        ...shown.filter((figure) => figure !== "count").map((figure) => ({
          title: figureName(figure, kind),
          tip: figureTip(figure, kind),
          width: kind === "histogram" ? 8 : 6,
          numeric: true,
          className: figure === show ? "shown" : "more-figure",
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

function Samples({ metric: { largest, name, kind, unit } }: { metric: MetricContent }) {
  const { params } = useFragment();
  const groupedBy = (by: string) =>
    fragmentTo("metrics", [name, kind, unit], { ...Object.fromEntries(params), by });
  const attributesOf = ({ attributes }: MetricSample) =>
    Object.entries(attributes).slice(0, MAX_ATTRIBUTES).map(([name, value]) => (
      <Fragment key={name}>
        <a href={groupedBy(name)} title={`Group by ${name}`}>{`${name}=${value}`}</a>
        {" "}
      </Fragment>
    ));
  return (
    <Table<MetricSample>
      caption={`Largest ${sampleName(kind)}s`}
      className="data-table"
      columns={[
        {
          title: "Time",
          className: "sample-time",
          cell: (sample) => (
            <>
              <Timestamp at={sample.at} precision="ms" />
              {/* Where there is no room for a column. */}
              <small>{attributesOf(sample)}</small>
            </>
          ),
        },
        { title: "Attributes", className: "sample-attributes", cell: attributesOf },
        { title: "Value", width: 6, numeric: true, cell: ({ value }) => formatValue(value, unit) },
        {
          title: "Trace",
          width: 6,
          numeric: true,
          cell: (sample) =>
            sample.trace_id === null
              ? "–"
              : <a className="mono" href={traceHref(sample)}>{shortId(sample.trace_id)}</a>,
        },
      ]}
      rows={largest}
      keyOf={(sample) => JSON.stringify(sample)}
    />
  );
}
