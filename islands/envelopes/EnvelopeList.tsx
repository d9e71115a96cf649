import { useMemo } from "react";
import { formatBytes, formatCount, shortId } from "../../components/format.ts";
import { formatExactTime } from "../../components/format_time.ts";
import { Id } from "../../components/Id.tsx";
import { countItems } from "../../components/count_items.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { type DeliveryState, describeOutcome } from "../../components/outcome.ts";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { TelemetryState } from "../../monitoring/browser/mod.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import type { Filter } from "../kit/filters.ts";
import { FileButton } from "../shared/FileButton.tsx";
import { fragmentTo, useFragment } from "../shared/fragment.ts";
import { sharedFilters } from "../shared/filters.ts";
import { dsnOfPage, sentryTraceUrl } from "../shared/sentry_link.ts";
import { SourceLabel } from "../shared/SourceLabel.tsx";
import { useTelemetry } from "../shared/telemetry.ts";
import { findReceipt } from "./find_receipt.ts";
import { type ListColumn, RowList } from "../kit/RowList.tsx";
import { type ConsoleList, useList } from "../data/lists.ts";
import { useSourceState } from "../data/queries.ts";
import { type DataSource, source } from "../data/source.ts";

/** Item types of Sentry's SDKs (https://develop.sentry.dev/sdk/data-model/envelope-items/). */
const KNOWN_TYPES = [
  "attachment",
  "check_in",
  "client_report",
  "event",
  "feedback",
  "log",
  "metric_buckets",
  "profile",
  "profile_chunk",
  "raw_security",
  "replay_event",
  "replay_recording",
  "replay_video",
  "session",
  "sessions",
  "span",
  "statsd",
  "trace_metric",
  "transaction",
  "user_report",
];

/** The envelopes that match the address's filters. */
export function useEnvelopes(): ConsoleList<InboxRow> {
  const { params } = useFragment("envelopes");
  const param = (name: string) => params.get(name) ?? undefined;
  return useList("envelopes", {
    q: param("q"),
    type: param("type"),
    trace: param("trace"),
    ...sharedFilters(params),
  });
}

const FILTERS: readonly Filter[] = [{ name: "type", label: "Item type", choices: KNOWN_TYPES }];

/** The list of envelopes, newest first. @param props.openKey id of the envelope that is open */
export function EnvelopeList({ list, openKey, openFile }: {
  list: ConsoleList<InboxRow>;
  openKey: string | undefined;
  openFile: (file: File) => void;
}) {
  const { params } = useFragment("envelopes");
  const { receipts } = useTelemetry();
  const { state } = useSourceState();
  const isPage = source.scope === "visit";
  // Everything in the inbox was stored: the column would have the same value in each row.
  const columns = useMemo(
    () => isPage ? [CONTENT, outcomeColumn(receipts), SIZE, TIME] : [CONTENT, TRACE, SIZE, TIME],
    [isPage, receipts],
  );
  const fileButton = <FileButton name="File to inspect" open={openFile}>Inspect a file</FileButton>;

  return (
    <RowList
      view="envelopes"
      list={list}
      columns={columns}
      caption="Envelopes, newest first"
      keyOf={({ id }) => String(id)}
      hrefOf={({ id }) => fragmentTo("envelopes", [String(id)], Object.fromEntries(params))}
      openKey={openKey}
      filters={FILTERS}
      actions={fileButton}
      // Inspecting a file needs no access to the inbox.
      above={state === "forbidden" && <div className="bar">{fileButton}</div>}
      empty={
        <p>
          No envelopes received. <a href="#/settings">Generate telemetry</a>{" "}
          in Settings, or drop a saved envelope on this page to inspect it.
        </p>
      }
    />
  );
}

const CONTENT: ListColumn<InboxRow> = {
  title: "Content",
  cell: (row, link) => {
    const content = describeContent(row);
    const time = formatExactTime(row.received_at, Date.now());
    return (
      <>
        <span className="one-line">{link(content, `Envelope ${row.id}: ${content}, ${time}`)}</span>
        <small className="one-line">
          <SourceLabel of={[row.source]} /> {row.content_encoding}
        </small>
      </>
    );
  },
};

const TRACE: ListColumn<InboxRow> = {
  title: "Trace",
  width: 7,
  isWide: true,
  cell: ({ trace_ids: [trace, ...others] }) =>
    trace !== undefined && (
      <>
        <a {...traceLink(trace, source.scope)} aria-label={`Trace ${shortId(trace)}`}>
          <Id id={trace} />
        </a>
        {others.length > 0 && <span title={others.join(" ")}>{` +${others.length}`}</span>}
      </>
    ),
};

const SIZE: ListColumn<InboxRow> = {
  title: "Size",
  width: 5.5,
  numeric: true,
  cell: ({ bytes }) => formatBytes(bytes),
};

const TIME: ListColumn<InboxRow> = {
  title: "Received",
  width: 6.5,
  cell: ({ received_at }) => <TimeAgo at={received_at} />,
};

const outcomeColumn = (receipts: TelemetryState["receipts"]): ListColumn<InboxRow> => ({
  title: "Outcome",
  width: 8,
  cell: (row) => {
    const outcome = findReceipt(row, receipts)?.outcome;
    return outcome === undefined ? "–" : <Outcome result={{ outcome }} />;
  },
});

/** "12 spans · POST /api/checkout", "event · PaymentError: Card declined", "2 × session". */
function describeContent({ items, summary }: Pick<InboxRow, "items" | "summary">): string {
  const counts = countItems(items).map(({ type, count }) => {
    if (type === "span" && summary?.spans) return formatCount(summary.spans, "span");
    if (type === "log" && summary?.logs) return formatCount(summary.logs, "log");
    return count === 1 ? type : `${count}\u00a0×\u00a0${type}`;
  });
  const title = summary?.title ? ` · ${summary.title}` : "";
  return (counts.join(", ") || "no items") + title;
}

/** Attributes of the link to a trace: in Sentry, if the source has only what this page has sent. */
export function traceLink(
  traceId: string,
  scope: DataSource["scope"] = "inbox",
): { readonly href?: string; readonly target?: string; readonly rel?: string } {
  if (scope === "inbox") return { href: fragmentTo("traces", [traceId]) };
  const href = sentryTraceUrl(dsnOfPage(), traceId);
  return href === undefined ? {} : { href, target: "_blank", rel: "noreferrer" };
}

/** An envelope's outcome with its mark. */
export function Outcome({ result }: { result: DeliveryState }) {
  const { kind, word, meaning } = describeOutcome(result);
  return (
    <span className={kind} title={meaning}>
      <OutcomeMark kind={kind} />
      {word}
    </span>
  );
}
