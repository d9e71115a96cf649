import { useMemo } from "react";
import { formatBytes, formatCount, shortId } from "../../components/format.ts";
import { type KeyValue, KeyValueList } from "../../components/KeyValueList.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { errorName, errorTitle } from "../../monitoring/models/error/error_entry.ts";
import { indexEnvelope } from "../../monitoring/models/index/index_entries.ts";
import { type Omitted, parseEnvelope } from "../../monitoring/models/parsed_envelope.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { saveFile } from "../shared/FileButton.tsx";
import { fragmentTo } from "../shared/fragment.ts";
import { useTelemetry } from "../shared/telemetry.ts";
import { ProblemBox } from "./ProblemBox.tsx";
import { Outcome, traceLink } from "./EnvelopeList.tsx";
import { findReceipt } from "./find_receipt.ts";
import { inspectEnvelope } from "./inspect_envelope.ts";
import { Inspector } from "./Inspector.tsx";
import { DetailView } from "../kit/DetailView.tsx";
import { useRead } from "../data/use_read.ts";
import { source } from "../data/source.ts";
import type { DataSource } from "../data/source.ts";

/** Bound for links to traces and errors; an envelope may contain a hundred. */
const MAX_LINKS = 8;

/**
 * One envelope with its items.
 *
 * @param props.row its row in the list; undefined: not listed
 * @param props.back link to the list
 */
export function EnvelopeDetails({ id, row, back }: {
  id: number;
  row: InboxRow | undefined;
  back: string;
}) {
  const read = async () => {
    // The address may contain anything.
    if (Number.isSafeInteger(id) && id > 0) return await source.envelope(id);
  };
  const { state, value: bytes, error = "", retry } = useRead(["envelope", id], read);
  const isMissing = state === "ready" && bytes === undefined;
  const save = () => {
    const href = source.download(id);
    if (href) saveFile(href, `${row?.event_id ? shortId(row.event_id) : id}.envelope`);
    // Evicted since it was read.
    else retry();
  };
  return (
    <DetailView
      className="details"
      back={{ text: "All envelopes", href: back }}
      title={`Envelope ${id}`}
      takesFocus
      header={state !== "loading" && !isMissing && (
        <button type="button" onClick={save}>Download</button>
      )}
    >
      {state === "loading" && <p className="empty">Loading the envelope.</p>}
      {isMissing && <p className="empty">Envelope {id} not found: deleted, or never received.</p>}
      {state === "failed" && (
        <>
          <ProblemBox title="The envelope could not be loaded." what={error} />
          <button type="button" onClick={retry}>Try again</button>
        </>
      )}
      {source && state === "ready" && bytes && (
        <Content scope={source.scope} bytes={bytes} row={row} />
      )}
    </DetailView>
  );
}

function Content({ scope, bytes, row }: {
  scope: DataSource["scope"];
  bytes: Uint8Array;
  row: InboxRow | undefined;
}) {
  const inspection = useMemo(() => inspectEnvelope(bytes), [bytes]);
  return (
    <>
      <KeyValueList entries={useProperties(bytes, row, scope)} />
      <Inspector inspection={inspection} />
    </>
  );
}

/** Time, size and outcome of the envelope, and links to its traces and errors. */
function useProperties(
  bytes: Uint8Array,
  row: InboxRow | undefined,
  scope: DataSource["scope"],
): readonly (KeyValue | false)[] {
  const { receipts } = useTelemetry();
  const { trace_ids, replay_id, errors, omitted } = useMemo(() => {
    const parsed = parseEnvelope(bytes);
    const { description, entries } = indexEnvelope(parsed, row?.received_at ?? 0);
    return {
      ...description,
      errors: entries.errors,
      omitted: describeOmitted(parsed.omitted, entries.omittedLogs),
    };
  }, [bytes, row?.received_at]);
  const receipt = row && findReceipt(row, receipts);
  const encoding = row?.content_encoding;
  return [
    row !== undefined && {
      name: scope === "visit" ? "Created" : "Received",
      value: <Timestamp at={row.received_at} />,
    },
    {
      name: "Size",
      value: encoding
        ? `${formatBytes(row.bytes)} as ${encoding}, ${formatBytes(bytes.length)} decompressed`
        : `${formatBytes(bytes.length)}, not compressed`,
    },
    receipt !== undefined && { name: "Outcome", value: <Outcome result={receipt} /> },
    trace_ids.length > 0 && {
      name: "Trace",
      value: trace_ids.slice(0, MAX_LINKS).map((id) => (
        <a key={id} {...traceLink(id, scope)}>
          <code>{id}</code>
        </a>
      )),
    },
    row !== undefined && errors.length > 0 && scope === "inbox" && {
      name: "Error",
      value: errors.slice(0, MAX_LINKS).map((error, n) => (
        <a key={n} href={fragmentTo("errors", [errorName(error), String(row.id)])}>
          {errorTitle(error)}
        </a>
      )),
    },
    replay_id !== null && { name: "Recording", value: <code>{replay_id}</code> },
    omitted !== undefined && { name: "Not in the lists", value: omitted },
  ];
}

/**
 * Describes what the lists of traces, errors and logs leave out of an envelope.
 *
 * @param omitted items and entries that were not read
 * @param omittedLogs logs that were read, but are not listed
 * @returns undefined: the lists show everything
 */
export function describeOmitted(omitted: Omitted, omittedLogs: number): string | undefined {
  const counts = [
    omitted.items > 0 && formatCount(omitted.items, "item"),
    omitted.entries > 0 && formatCount(omitted.entries, "entry", "entries"),
    omittedLogs > 0 && formatCount(omittedLogs, "log"),
  ].filter((count) => count !== false);
  if (counts.length === 0) return undefined;
  return `${counts.join(", ")} (limit per envelope). The stored envelope is complete.`;
}
