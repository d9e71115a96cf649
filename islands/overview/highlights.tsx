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
import type { filterParams, SharedFilters } from "../data/filters.ts";
import { fragmentTo } from "../data/fragment.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import { Highlight, type HighlightColumn, ROWS } from "./Highlight.tsx";

/** Characters of a message: more than a line. */
const MAX_TEXT = 200;

type Links = ReturnType<typeof filterParams>;

interface HighlightProps {
  readonly filters: SharedFilters;
  /** The filters of the address. */
  readonly links: Links;
}

/** The groups of errors that were seen last. @param props.filters undefined: the time of the charts is not known yet */
export function NewestErrors({ filters, links }: Pick<HighlightProps, "links"> & {
  readonly filters: SharedFilters | undefined;
}) {
  const query = filters &&
    { ...filters, state: "open", sort: "-last_seen", limit: ROWS } as const;
  const list = useList("errors", query);
  return (
    <Highlight
      id="newest-errors"
      title="Newest errors"
      icon="errors"
      all={{ text: "All errors", href: fragmentTo("errors", [], links) }}
      list={list}
      empty="No open errors in this time."
      keyOf={({ group }) => group}
      columns={errorColumns(links)}
    />
  );
}

const errorColumns = (links: Links): readonly HighlightColumn<ErrorGroupRow>[] => [
  {
    title: "Error",
    tip: "What all errors of a group share; … where they differ",
    cell: ({ group, type, value, regression }) => (
      <>
        <a
          href={fragmentTo("errors", [group], links)}
          title={`${type} ${cutText(value, MAX_TEXT)}`}
        >
          <b>{type}</b> {cutText(value, MAX_TEXT)}
        </a>
        {regression && <span className="filled waits">Regression</span>}
      </>
    ),
  },
  {
    title: "Application",
    width: 9.5,
    room: "wide",
    cell: ({ applications }) => <SentBy keys={applications} isShort />,
  },
  {
    title: "Over time",
    tip: SPARKLINE_TIP,
    width: 6,
    room: "extra",
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
export function SlowestTraces({ filters, links }: HighlightProps) {
  const query = { ...filters, sort: "slowest", each: "name", limit: ROWS } as const;
  const list = useList("traces", query);
  const longest = Math.max(1, ...list.rows.map(durationOf));
  return (
    <Highlight
      id="slowest-traces"
      title="Slowest by name"
      icon="traces"
      all={{
        text: "All traces",
        href: fragmentTo("traces", [], { ...links, sort: "slowest" }),
      }}
      list={list}
      empty="No traces in this time."
      keyOf={({ trace_id }) => trace_id}
      columns={traceColumns(longest, links)}
    />
  );
}

/** @param longest duration in milliseconds, which has a whole bar */
const traceColumns = (longest: number, links: Links): readonly HighlightColumn<TraceRow>[] => [
  {
    title: "Trace",
    tip: "The slowest of each name",
    cell: (row) => <a href={fragmentTo("traces", [row.trace_id], links)}>{displayName(row)}</a>,
  },
  {
    title: "Applications",
    width: 9.5,
    room: "wide",
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
export function VitalsByPage({ filters, links }: HighlightProps) {
  const list = useList("pages", filters);
  return (
    <Highlight
      id="vitals-by-page"
      title="Web vitals by page"
      icon="vitals"
      all={{ text: "All pages", href: fragmentTo("traces", ["vitals"], links) }}
      list={list}
      empty="No page loads in this time."
      keyOf={({ application, page }) => `${application} ${page}`}
      columns={vitalColumns(links)}
    />
  );
}

const vitalColumns = (links: Links): readonly HighlightColumn<PageRow>[] => [
  {
    title: "Page",
    cell: ({ page, application }) => (
      <a href={fragmentTo("traces", [], { ...links, page, application, sort: "slowest" })}>
        {page}
      </a>
    ),
  },
  {
    title: "Loads",
    width: 4,
    numeric: true,
    room: "wide",
    cell: ({ loads }) => loads > 0 && formatNumber(loads),
  },
  ...(["lcp", "inp", "cls"] as const).map((name): HighlightColumn<PageRow> => ({
    title: name.toUpperCase(),
    tip: `${VITALS[name].title}: ${VITAL_TIP}`,
    width: 8,
    cell: (row) => <VitalBar name={name} sample={row[name]} />,
  })),
];

/** The newest envelopes of the applications. */
export function JustArrived({ filters, links }: HighlightProps) {
  const list = useList("envelopes", { ...filters, limit: ROWS });
  return (
    <Highlight
      id="just-arrived"
      title="Just arrived"
      icon="arrivals"
      all={{ text: "All envelopes", href: fragmentTo("envelopes", [], links) }}
      list={list}
      empty="Nothing has arrived."
      keyOf={({ id }) => id}
      columns={envelopeColumns(links)}
    />
  );
}

const envelopeColumns = (links: Links): readonly HighlightColumn<InboxRow>[] => [
  {
    title: "Content",
    cell: (row) => {
      const { text, icon } = topicOf(row);
      return (
        <span className={icon === "errors" ? "refused" : undefined}>
          <Icon name={icon} />
          <a href={fragmentTo("envelopes", [String(row.id)], links)}>{text}</a>
          {row.summary?.title && <small>{itemsOf(row)}</small>}
        </span>
      );
    },
  },
  {
    title: "Application",
    width: 9.5,
    room: "wide",
    cell: ({ application }) => <SentBy keys={application === null ? [] : [application]} isShort />,
  },
  { title: "Received", width: 6, cell: ({ received_at }) => <TimeAgo at={received_at} /> },
];
