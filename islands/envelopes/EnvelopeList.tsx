import { useMemo } from "react";
import { formatBytes, shortId } from "../../components/format.ts";
import { formatExactTime } from "../../components/format_time.ts";
import { Id } from "../../components/Id.tsx";
import { Icon } from "../../components/Icon.tsx";
import { Outcome } from "../../components/Outcome.tsx";
import type { Receipt } from "../../monitoring/browser/mod.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { itemsOf, topicOf } from "../kit/envelope_topic.ts";
import { linkTo, useFragment } from "../data/fragment.ts";
import { queryOf } from "../data/filters.ts";
import { dsnOfPage, sentryTraceUrl } from "../data/sentry_link.ts";
import { useReceipts } from "../data/use_sent_counts.ts";
import { RowList } from "../kit/RowList.tsx";
import { type Column, timeColumn } from "../kit/Table.tsx";
import { RowValues } from "../kit/ValueLinks.tsx";
import { useList } from "../data/lists.ts";
import { isRelay } from "../data/read.ts";

/** The list of envelopes, newest first. @param props.openKey id of the envelope that is open */
export function EnvelopeList({ openKey }: { openKey: string | undefined }) {
  const { params } = useFragment();
  const receipts = useReceipts();
  const list = useList("envelopes", queryOf(params, "envelopes"));
  // Everything in the inbox was stored: the column would have the same value in each row.
  const columns = useMemo(
    () => isRelay ? [CONTENT, outcomeColumn(receipts), SIZE, TIME] : [CONTENT, TRACES, SIZE, TIME],
    [receipts],
  );
  return (
    <RowList
      list={list}
      columns={columns}
      caption="Envelopes, newest first"
      openKey={openKey}
      of="envelopes"
      empty={
        <>
          <b>No envelopes received.</b> <a href="#/settings">Send test signals</a> in Settings.
        </>
      }
    />
  );
}

const CONTENT: Column<InboxRow> = {
  title: "Content",
  cell: (row, link) => {
    const { text, icon } = topicOf(row);
    const items = itemsOf(row);
    const time = formatExactTime(row.received_at, Date.now());
    return (
      <>
        <Icon name={icon} />
        {link(text, `Envelope ${row.id}: ${items}, ${text}, ${time}`)}
        <small>
          <RowValues values={row.items.map(({ type }) => ["type", type])}>{items}</RowValues>
        </small>
      </>
    );
  },
  aside: {
    title: "Application",
    applications: ({ application, applications }) =>
      applications?.length ? applications : [application],
  },
};

const TRACES: Column<InboxRow> = {
  title: "Trace",
  width: 7,
  isWide: true,
  cell: ({ trace_ids: [trace, ...others] }) =>
    trace !== undefined && (
      <>
        <a {...traceLink(trace)} aria-label={`Trace ${shortId(trace)}`}>
          <Id id={trace} />
        </a>
        {others.length > 0 && <span title={others.join(" ")}>{` +${others.length}`}</span>}
      </>
    ),
};

const SIZE: Column<InboxRow> = {
  title: "Size",
  width: 5.5,
  isWide: true,
  numeric: true,
  cell: ({ bytes }) => formatBytes(bytes),
};

/** Those of this page were not received yet. */
const TIME = timeColumn<InboxRow>(
  isRelay ? "Created" : "Received",
  ({ received_at }) => received_at,
  { tip: `By this ${isRelay ? "browser" : "server"}’s clock` },
);

const outcomeColumn = (receipts: readonly Receipt[]): Column<InboxRow> => ({
  title: "Outcome",
  width: 8,
  cell: (row) => {
    const receipt = findReceipt(row, receipts);
    return receipt ? <Outcome result={receipt} /> : "–";
  },
});

/** Attributes of the link to a trace: in Sentry, if this page has only what it has sent. */
export function traceLink(
  traceId: string,
): { readonly href?: string; readonly target?: string; readonly rel?: string } {
  if (!isRelay) return { href: linkTo("traces", [traceId]) };
  const href = sentryTraceUrl(dsnOfPage(), traceId);
  return href === undefined ? {} : { href, target: "_blank", rel: "noreferrer" };
}

/** The receipt of an envelope of this page; undefined: the inbox has it, or the receipt is gone. */
export function findReceipt(row: InboxRow, receipts: readonly Receipt[]): Receipt | undefined {
  if (!isRelay) return undefined;
  // Only the receipt of dropped items, which has no bytes, may have the same time.
  return receipts.find(({ at, bytes }) => at === row.received_at && bytes > 0);
}
