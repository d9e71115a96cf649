import { memo } from "react";
import type { Column } from "../../components/DataTable.tsx";
import { formatBytes, formatCount, shortId } from "../../components/format.ts";
import { formatExactTime } from "../../components/format_time.ts";
import { Id } from "../../components/Id.tsx";
import { countItems } from "../../components/count_items.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { type DeliveryState, describeOutcome } from "../../components/outcome.ts";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { ChoiceFilter } from "../shared/ChoiceFilter.tsx";
import { FileButton } from "../shared/FileButton.tsx";
import { fragmentTo, useFragment } from "../shared/fragment.ts";
import { sharedFilters } from "../shared/filters.ts";
import { dsnOfPage, sentryTraceUrl } from "../shared/sentry_link.ts";
import { SourceLabel } from "../shared/SourceLabel.tsx";
import { useTelemetry } from "../shared/telemetry.ts";
import { findReceipt } from "./find_receipt.ts";
import { RowList } from "../shared/RowList.tsx";
import { ListRow, type RowPlace } from "../shared/use_table_rows.tsx";
import { type ConsoleList, useList } from "../data/lists.ts";
import { useSourceState } from "../data/queries.ts";
import { source } from "../data/source.ts";
import type { DataSource } from "../data/source.ts";

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

/** What the user returns from to the list: an envelope, by its id, or a file. */
export type ReturnFrom = number | "file";

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

/**
 * The list of envelopes, newest first.
 *
 * @param props.returnFrom decides the focus: the envelope's row, or the button that opens a file
 */
export function EnvelopeList({ list, returnFrom, openFile }: {
  list: ConsoleList<InboxRow>;
  returnFrom: ReturnFrom | undefined;
  openFile: (file: File) => void;
}) {
  const { params } = useFragment("envelopes");
  const { receipts } = useTelemetry();
  const { rows } = list;
  const { state } = useSourceState();
  const query = Object.fromEntries(params);
  const fileButton = (
    <FileButton name="File to inspect" open={openFile} autoFocus={returnFrom === "file"}>
      Inspect a file
    </FileButton>
  );
  const outcomeOf = (row: InboxRow) =>
    // An envelope of another sender has no receipt here. If it is in the inbox, it was stored.
    findReceipt(row, receipts)?.outcome ?? (source.scope === "inbox" ? "stored" : undefined);

  const parts: Parts = {
    // Everything in the inbox was stored: the column would have the same value in each row.
    hasOutcome: source.scope !== "inbox" || rows.some((row) => outcomeOf(row) !== "stored"),
    hasEncoding: rows.some((row) => row.content_encoding !== null),
    hasTrace: rows.some((row) => row.trace_ids.length > 0),
    hasRecording: rows.some((row) => row.replay_id !== null),
  };

  return (
    <RowList
      view="envelopes"
      list={list}
      keyOf={({ id }) => String(id)}
      returnFrom={returnFrom?.toString()}
      filters={<ChoiceFilter name="type" label="Item type" choices={KNOWN_TYPES} />}
      actions={fileButton}
      // Inspecting a file needs no access to the inbox.
      above={state === "forbidden" && <div className="bar">{fileButton}</div>}
      table={{
        className: "data-table feed-rows",
        caption: "Envelopes, newest first",
        columns: columns(source.scope === "visit" ? "Created" : "Received", parts),
      }}
      empty={
        <p>
          No envelopes received. <a href="#/settings">Generate telemetry</a>{" "}
          in Settings, or drop a saved envelope on this page to inspect it.
        </p>
      }
    >
      {(row, place) => (
        <EnvelopeRow
          key={row.id}
          row={row}
          href={fragmentTo("envelopes", [String(row.id)], query)}
          outcome={outcomeOf(row)}
          scope={source.scope}
          {...parts}
          {...place}
        />
      )}
    </RowList>
  );
}

/** Columns that are empty or the same in all rows are left out. */
interface Parts {
  readonly hasOutcome: boolean;
  readonly hasEncoding: boolean;
  readonly hasTrace: boolean;
  readonly hasRecording: boolean;
}

/** @param time title of the time column */
const columns = (
  time: string,
  { hasOutcome, hasEncoding, hasTrace, hasRecording }: Parts,
): Column[] => [
  { title: time },
  { title: "Content" },
  { title: "Size", numeric: true },
  ...hasOutcome ? [{ title: "Outcome" }] : [],
  ...hasTrace ? [{ title: "Trace" }] : [],
  ...hasEncoding ? [{ title: "Encoding" }] : [],
  ...hasRecording ? [{ title: "Recording" }] : [],
];

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

/**
 * One envelope. Memoised: unchanged rows are not rendered again.
 *
 * @param props.outcome undefined: unknown
 */
const EnvelopeRow = memo(function EnvelopeRow(
  {
    row,
    href,
    outcome,
    scope,
    isTabStop,
    hasOutcome,
    hasEncoding,
    hasTrace,
    hasRecording,
    ...place
  }:
    & Parts
    & RowPlace
    & {
      row: InboxRow;
      href: string;
      outcome: string | undefined;
      scope: DataSource["scope"] | undefined;
    },
) {
  const { id, received_at, trace_ids, replay_id, bytes, content_encoding } = row;
  const [trace, ...moreTraces] = trace_ids;
  const content = describeContent(row);
  return (
    <ListRow {...place}>
      <td className="at">
        <TimeAgo at={received_at} />
      </td>
      <td className="items">
        <a
          className="row-link"
          href={href}
          data-row={id}
          tabIndex={isTabStop ? 0 : -1}
          aria-label={`Envelope ${id}: ${content}, ${formatExactTime(received_at, Date.now())}`}
        >
          {content}
        </a>
        <SourceLabel of={[row.source]} />
      </td>
      <td className="n size">{formatBytes(bytes)}</td>
      {hasOutcome && (
        <td className="outcome">
          {outcome === undefined ? "–" : <Outcome result={{ outcome }} />}
        </td>
      )}
      {hasTrace && (
        <td className="trace">
          {trace === undefined ? "–" : (
            <a
              {...traceLink(trace, scope)}
              aria-label={`Trace ${shortId(trace)}`}
            >
              <Id id={trace} />
            </a>
          )}
          {moreTraces.length > 0 && (
            <span title={moreTraces.join(" ")}>{` +${moreTraces.length}`}</span>
          )}
        </td>
      )}
      {hasEncoding && <td className="encoding">{content_encoding}</td>}
      {hasRecording && <td className="recording">{replay_id && <Id id={replay_id} />}</td>}
    </ListRow>
  );
});

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
