import { useEffect, useMemo, useState } from "react";
import { Outcome } from "./EnvelopeRow.tsx";
import { receiptOf } from "./receipt_of.ts";
import { Trouble } from "./Trouble.tsx";
import { unlistedInWords } from "./unlisted.ts";
import { type Fact, Facts } from "../../components/Facts.tsx";
import { formatBytes } from "../../components/format/bytes.ts";
import { shortId } from "../../components/format/short_id.ts";
import { Time } from "../../components/Time.tsx";
import { describeEnvelope } from "../../monitoring/models/describe.ts";
import { inspectEnvelope } from "./inspect/inspect_envelope.ts";
import { errorName } from "../../monitoring/models/entries/error_entry.ts";
import { entriesOf } from "../../monitoring/models/entries/entries.ts";
import { parseEnvelope } from "../../monitoring/models/parsed_envelope.ts";
import type { ConsoleSource } from "../shared/source/source.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { Details } from "../shared/details.tsx";
import { fragmentTo } from "../shared/fragment.ts";
import { Inspector } from "./inspector.tsx";
import { saveFile } from "../shared/save_file.ts";
import { useTelemetry } from "../shared/telemetry.ts";

/** Links to traces and errors that are listed; an envelope may name a hundred. */
const MAX_LINKS = 8;

type Fetched =
  | { readonly state: "reading" }
  | { readonly state: "gone" }
  | { readonly state: "failed"; readonly error: string }
  | { readonly state: "read"; readonly bytes: Uint8Array };

/**
 * One envelope, taken to pieces.
 *
 * @param props.row what the list knows of it; undefined: it is not among the rows that were listed
 * @param props.back the link to the list
 */
export function EnvelopeDetails({ source, id, row, back }: {
  source: ConsoleSource | undefined;
  id: number;
  row: InboxRow | undefined;
  back: string;
}) {
  const [fetched, setFetched] = useState<Fetched>({ state: "reading" });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!source) return;
    // The address is anyone's to write.
    if (!Number.isSafeInteger(id) || id < 1) return setFetched({ state: "gone" });
    let gone = false;
    setFetched({ state: "reading" });
    source.envelope(id).then(
      (bytes) => !gone && setFetched(bytes ? { state: "read", bytes } : { state: "gone" }),
      (error: Error) => !gone && setFetched({ state: "failed", error: error.message }),
    );
    return () => {
      gone = true;
    };
  }, [source, id, tries]);

  const save = () => {
    const href = source?.download(id);
    if (href) saveFile(href, `${row?.event_id ? shortId(row.event_id) : id}.envelope`);
    else setFetched({ state: "gone" });
  };
  return (
    <Details
      title={`Envelope ${id}`}
      all="All envelopes"
      back={back}
      actions={(fetched.state === "read" || fetched.state === "failed") && (
        <button type="button" onClick={save}>Download</button>
      )}
    >
      {fetched.state === "reading" && <p className="empty">Reading the envelope.</p>}
      {fetched.state === "gone" && (
        <p className="empty">There is no envelope {id}: it never came, or it is gone.</p>
      )}
      {fetched.state === "failed" && (
        <>
          <Trouble title="The envelope cannot be shown." what={fetched.error} />
          <button type="button" onClick={() => setTries(tries + 1)}>Try again</button>
        </>
      )}
      {source && fetched.state === "read" && (
        <Read scope={source.scope} bytes={fetched.bytes} row={row} />
      )}
    </Details>
  );
}

function Read({ scope, bytes, row }: {
  scope: ConsoleSource["scope"];
  bytes: Uint8Array;
  row: InboxRow | undefined;
}) {
  const inspection = useMemo(() => inspectEnvelope(bytes), [bytes]);
  return (
    <>
      <Facts facts={useFacts(bytes, row, scope)} />
      <Inspector inspection={inspection} />
    </>
  );
}

/** What is known of the envelope beside what is in it, and where that leads. */
function useFacts(
  bytes: Uint8Array,
  row: InboxRow | undefined,
  scope: ConsoleSource["scope"],
): readonly Fact[] {
  const { receipts } = useTelemetry();
  const { trace_ids, replay_id, errors, unlisted } = useMemo(() => {
    const parsed = parseEnvelope(bytes);
    const { errors, moreLogs } = entriesOf(parsed, row?.received_at ?? 0);
    return {
      ...describeEnvelope(parsed),
      errors,
      unlisted: unlistedInWords(parsed.leftOut, moreLogs),
    };
  }, [bytes, row?.received_at]);
  const receipt = row && receiptOf(row, receipts);
  const encoding = row?.content_encoding;
  return [
    ...(row
      ? [{ term: scope === "visit" ? "Made" : "Received", value: <Time at={row.received_at} /> }]
      : []),
    {
      term: "Size",
      value: encoding
        ? `${formatBytes(row.bytes)} as ${encoding}, ${formatBytes(bytes.length)} decompressed`
        : `${formatBytes(bytes.length)}, not compressed`,
    },
    ...(receipt ? [{ term: "Outcome", value: <Outcome of={receipt} /> }] : []),
    ...(trace_ids.length > 0
      ? [{
        term: "Trace",
        value: trace_ids.slice(0, MAX_LINKS).map((id) => (
          <a key={id} href={fragmentTo("traces", [id])}>
            <code>{id}</code>
          </a>
        )),
      }]
      : []),
    ...(errors.length > 0 && row
      ? [{
        term: "Error",
        value: errors.slice(0, MAX_LINKS).map((error, n) => (
          <a key={n} href={fragmentTo("errors", [errorName(error), String(row.id)])}>
            {error.value === "" ? error.type : `${error.type}: ${error.value}`}
          </a>
        )),
      }]
      : []),
    ...(replay_id ? [{ term: "Recording", value: <code>{replay_id}</code> }] : []),
    ...(unlisted ? [{ term: "Not listed", value: unlisted }] : []),
  ];
}
