import { Fragment, useMemo } from "react";
import { formatBytes, shortId } from "../../components/format.ts";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { errorName, errorTitle } from "../../monitoring/models/error/error_entry.ts";
import { indexEnvelope } from "../../monitoring/models/index/index_entries.ts";
import { parseEnvelope } from "../../monitoring/models/parsed_envelope.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { source } from "../data/source.ts";
import { useRead } from "../data/use_read.ts";
import { DetailView } from "../kit/DetailView.tsx";
import { fragmentTo } from "../shared/fragment.ts";
import { saveFile } from "../shared/FileButton.tsx";
import { useTelemetry } from "../shared/telemetry.ts";
import { findReceipt, Outcome, traceLink } from "./EnvelopeList.tsx";
import { Inspector } from "./Inspector.tsx";
import { openFile } from "./open_file.ts";

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
  const { state, value: bytes, error, retry } = useRead(["envelope", id], async () => {
    // The address may contain anything.
    if (Number.isSafeInteger(id) && id > 0) return await source.envelope(id);
  });
  const save = () => {
    const href = source.download(id);
    if (href) saveFile(href, `${row?.event_id ? shortId(row.event_id) : id}.envelope`);
    // Evicted since it was read.
    else retry();
  };
  const isMissing = state === "ready" && bytes === undefined;
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
      {state === "failed" && <ReadFailure message={error} retry={retry} />}
      {state === "ready" && bytes && (
        <>
          <Properties bytes={bytes} row={row} />
          <Inspector bytes={bytes} />
        </>
      )}
    </DetailView>
  );
}

/** Time, size and outcome of an envelope, and links to its traces and errors. */
function Properties({ bytes, row }: { bytes: Uint8Array; row: InboxRow | undefined }) {
  const { receipts } = useTelemetry();
  const { description: { trace_ids, replay_id }, entries: { errors } } = useMemo(
    () => indexEnvelope(parseEnvelope(bytes), 0),
    [bytes],
  );
  const receipt = row && findReceipt(row, receipts);
  const encoding = row?.content_encoding;
  return (
    <KeyValueList
      isInLine
      entries={[
        row !== undefined && {
          name: source.scope === "visit" ? "Created" : "Received",
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
          name: trace_ids.length > 1 ? "Traces" : "Trace",
          value: trace_ids.slice(0, MAX_LINKS).map((id) => (
            <Fragment key={id}>
              <a {...traceLink(id)}>
                <code>{id}</code>
              </a>
              {" "}
            </Fragment>
          )),
        },
        row !== undefined && errors.length > 0 && source.scope === "inbox" && {
          name: "Error",
          value: errors.slice(0, MAX_LINKS).map((error, index) => (
            <a key={index} href={fragmentTo("errors", [errorName(error), String(row.id)])}>
              {errorTitle(error)}
            </a>
          )),
        },
        replay_id !== null && {
          name: "Recording",
          value: source.scope === "inbox"
            ? (
              <a href={fragmentTo("recordings", [replay_id])}>
                <code>{replay_id}</code>
              </a>
            )
            : <code>{replay_id}</code>,
        },
      ]}
    />
  );
}

/**
 * A saved envelope. The file stays in the browser.
 *
 * @param props.back link to the list
 */
export function FileDetails({ file, back, onLeave }: {
  file: File;
  back: string;
  onLeave: () => void;
}) {
  const { state, value: opened, error } = useRead(
    ["file", file.name, file.size, file.lastModified],
    () => openFile(file),
    0,
  );
  return (
    <DetailView
      className="details"
      back={{ text: "All envelopes", href: back }}
      title={file.name}
      takesFocus
      onLeave={onLeave}
    >
      <p>
        {formatBytes(file.size)}
        {opened?.encoding && `, ${opened.encoding}`}. Read in this browser only, not uploaded.
      </p>
      {state === "loading" && <p className="empty">Loading the file.</p>}
      {state === "failed" && (
        <p role="alert" className="refused">
          <OutcomeMark kind="refused" />
          {error}
        </p>
      )}
      {state === "ready" && opened && <Inspector bytes={opened.bytes} />}
    </DetailView>
  );
}
