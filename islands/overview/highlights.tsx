import { Icon } from "../../components/Icon.tsx";
import { cutText, formatDuration, formatNumber } from "../../components/format.ts";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { ErrorGroupRow, PageRow, TraceRow } from "../../monitoring/models/rows.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { VITALS } from "../../monitoring/models/trace/web_vitals.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { Sparkline, SPARKLINE_TIP } from "../charts/Sparkline.tsx";
import { VITAL_TIP, VitalBar } from "../charts/VitalBar.tsx";
import { useList } from "../data/lists.ts";
import { itemsOf, topicOf } from "../kit/envelope_topic.ts";
import type { ConsoleQuery } from "../data/inbox.ts";
import { linkTo } from "../data/fragment.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import type { Column } from "../kit/Table.tsx";
import { Highlight, ROWS } from "./Highlight.tsx";

/** Characters of a message: more than a line. */
const MAX_TEXT = 200;

/** The groups of errors that were seen last. @param props.filters undefined: the time of the charts is not known yet */
export function NewestErrors({ filters }: { filters: ConsoleQuery | undefined }) {
  const query = filters &&
    { ...filters, state: "open", sort: "-last_seen", limit: ROWS } as const;
  return (
    <Highlight
      id="newest-errors"
      title="Newest errors"
      icon="errors"
      all={{ text: "All errors", href: linkTo("errors") }}
      list={useList("errors", query)}
      empty="No open errors in this time."
      keyOf={({ group }) => group}
      hrefOf={({ group }) => linkTo("errors", [group])}
      columns={ERROR_COLUMNS}
    />
  );
}

const ERROR_COLUMNS: readonly Column<ErrorGroupRow>[] = [
  {
    title: "Error",
    tip: "What all errors of a group share; … where they differ",
    cell: ({ type, value, regression }, link) => (
      <span title={`${type} ${cutText(value, MAX_TEXT)}`}>
        {link(
          <>
            <b>{type}</b> {cutText(value, MAX_TEXT)}
          </>,
        )}
        {regression && <span className="filled waits">Regression</span>}
      </span>
    ),
  },
  {
    title: "Application",
    width: 9.5,
    isWide: true,
    cell: ({ applications }) => <SentBy keys={applications} isShort />,
  },
  {
    title: "Over time",
    tip: SPARKLINE_TIP,
    width: 6,
    className: "extra",
    cell: (row) => <Sparkline row={row} />,
  },
  {
    title: "Count",
    width: 3.5,
    numeric: true,
    cell: ({ count }) => `${formatNumber(count)}×`,
  },
  { title: "Last seen", width: 6, cell: ({ last_seen }) => <TimeAgo at={last_seen} /> },
];

/** The slowest trace of each name: the names whose traces took longest. */
export function SlowestTraces({ filters }: { filters: ConsoleQuery }) {
  const query = { ...filters, sort: "slowest", each: "name", limit: ROWS } as const;
  const list = useList("traces", query);
  return (
    <Highlight
      id="slowest-traces"
      title="Slowest by name"
      icon="traces"
      all={{ text: "All traces", href: linkTo("traces", [], { sort: "slowest" }) }}
      list={list}
      empty="No traces in this time."
      keyOf={({ trace_id }) => trace_id}
      hrefOf={({ trace_id }) => linkTo("traces", [trace_id])}
      columns={traceColumns(Math.max(1, ...list.rows.map(durationOf)))}
    />
  );
}

/** @param longest duration in milliseconds, which has a whole bar */
const traceColumns = (longest: number): readonly Column<TraceRow>[] => [
  {
    title: "Trace",
    tip: "The slowest of each name",
    cell: (row, link) => link(displayName(row)),
  },
  {
    title: "Applications",
    width: 9.5,
    isWide: true,
    cell: ({ applications }) => <SentBy keys={applications} isShort />,
  },
  {
    title: "Duration",
    width: 9,
    numeric: true,
    cell: (row) => (
      <span className="beside ends">
        <i className={row.failed || row.errors > 0 ? "level-bar failed" : "level-bar"}>
          <i style={{ width: `${durationOf(row) / longest * 100}%` }} />
        </i>
        {row.ended_at === null ? "–" : formatDuration(durationOf(row))}
      </span>
    ),
  },
  { title: "Started", width: 6, cell: ({ started_at }) => <TimeAgo at={started_at} /> },
];

function durationOf(row: { started_at: number; ended_at: number | null }): number {
  return Math.max(0, (row.ended_at ?? row.started_at) - row.started_at);
}

/** The web vitals of the pages with the most loads. */
export function VitalsByPage({ filters }: { filters: ConsoleQuery }) {
  return (
    <Highlight
      id="vitals-by-page"
      title="Web vitals by page"
      icon="vitals"
      all={{ text: "All pages", href: linkTo("traces", ["vitals"]) }}
      list={useList("pages", filters)}
      empty="No page loads in this time."
      keyOf={({ application, page }) => `${application} ${page}`}
      hrefOf={({ application, page }) =>
        linkTo("traces", [], { page, application, sort: "slowest" })}
      columns={VITAL_COLUMNS}
    />
  );
}

const VITAL_COLUMNS: readonly Column<PageRow>[] = [
  { title: "Page", cell: ({ page }, link) => link(page) },
  {
    title: "Loads",
    width: 4,
    numeric: true,
    isWide: true,
    cell: ({ loads }) => loads > 0 && formatNumber(loads),
  },
  ...(["lcp", "inp", "cls"] as const).map((name): Column<PageRow> => ({
    title: name.toUpperCase(),
    tip: `${VITALS[name].title}: ${VITAL_TIP}`,
    width: 8,
    cell: (row) => <VitalBar name={name} sample={row[name]} />,
  })),
];

/** The newest envelopes of the applications. */
export function JustArrived({ filters }: { filters: ConsoleQuery }) {
  return (
    <Highlight
      id="just-arrived"
      title="Just arrived"
      icon="arrivals"
      all={{ text: "All envelopes", href: linkTo("envelopes") }}
      list={useList("envelopes", { ...filters, limit: ROWS })}
      empty="Nothing has arrived."
      keyOf={({ id }) => id}
      hrefOf={({ id }) => linkTo("envelopes", [String(id)])}
      columns={ENVELOPE_COLUMNS}
    />
  );
}

const ENVELOPE_COLUMNS: readonly Column<InboxRow>[] = [
  {
    title: "Content",
    cell: (row, link) => {
      const { text, icon } = topicOf(row);
      return (
        <span className={icon === "errors" ? "refused" : undefined}>
          <Icon name={icon} />
          {link(text)}
          {row.summary?.title && <small>{itemsOf(row)}</small>}
        </span>
      );
    },
  },
  {
    title: "Application",
    width: 9.5,
    isWide: true,
    cell: ({ application }) => <SentBy keys={application === null ? [] : [application]} isShort />,
  },
  { title: "Received", width: 6, cell: ({ received_at }) => <TimeAgo at={received_at} /> },
];
