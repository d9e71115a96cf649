import { Icon } from "../../components/Icon.tsx";
import { cutText, formatNumber } from "../../components/format.ts";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { ErrorGroupRow, PageRow } from "../../monitoring/models/rows.ts";
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
