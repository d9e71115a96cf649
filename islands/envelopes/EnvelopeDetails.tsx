import { Fragment, type ReactNode, useState } from "react";
import { formatBytes, formatCount, formatNumber, shortId } from "../../components/format.ts";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { Outcome } from "../../components/Outcome.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import type { EnvelopeContent } from "../../monitoring/models/envelope_content.ts";
import { addressOf, isRelay, read } from "../data/read.ts";
import { useRead } from "../data/use_read.ts";
import { Unread } from "../kit/Blank.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { AttachmentList } from "../kit/AttachmentList.tsx";
import { linkTo } from "../data/fragment.ts";
import { saveFile } from "../kit/FileButton.tsx";
import { useReceipts } from "../data/use_sent_counts.ts";
import { findReceipt, traceLink } from "./EnvelopeList.tsx";

/** Bound for links to traces and errors; an envelope may contain a hundred. */
const MAX_LINKS = 8;

export function EnvelopeDetails({ id }: { id: number }) {
  const reading = useRead(["envelope", id], () => read("envelope", { id: String(id) }));
  const { state, value: content, retry } = reading;
  const save = async () => {
    const href = await addressOf(id);
    const eventId = content?.row.event_id;
    if (href) saveFile(href, `${eventId ? shortId(eventId) : id}.envelope`);
    // Evicted since it was read.
    else await retry();
  };
  return (
    <DetailView
      className="details"
      back="All envelopes"
      title={`Envelope ${id}`}
      facts={content && <Properties content={content} />}
      actions={(content || state === "failed") && (
        <>
          <button type="button" onClick={save}>Download</button>
          <CopyMenu what="envelope" />
        </>
      )}
    >
      {(state !== "ready" || !content) && <Unread what="envelope" of={reading} />}
      {state === "ready" && content && (
        <div className="spaced">
          <h4>{formatCount(content.items.length + content.omitted, "item")}</h4>
          {content.unlisted > 0 && (
            <p className="waits">
              In no list and no count: {formatNumber(content.unlisted)}{" "}
              of its errors, spans, logs and other items, of a form that is not read or too many for
              one envelope.
            </p>
          )}
          {content.items.map((item, n) => (
            <Item key={n} item={item} number={n + 1} envelope={id} />
          ))}
          {content.omitted > 0 && (
            <p>{formatCount(content.omitted, "more item")}: see the download.</p>
          )}
          <details>
            <summary className="quiet">Envelope header</summary>
            <pre tabIndex={0} aria-label="Envelope header">{content.header}</pre>
          </details>
        </div>
      )}
    </DetailView>
  );
}

/** Time, size and outcome of an envelope, and links to its traces and errors. */
function Properties({ content: { row, bytes, errors } }: { content: EnvelopeContent }) {
  const receipts = useReceipts();
  const { trace_ids, replay_id, content_encoding: encoding } = row;
  const isStored = !isRelay;
  const receipt = findReceipt(row, receipts);
  return (
    <KeyValueList
      isInLine
      entries={[
        { name: isStored ? "Received" : "Created", value: <Timestamp at={row.received_at} /> },
        {
          name: "Size",
          value: encoding
            ? `${formatBytes(row.bytes)} as ${encoding}, ${formatBytes(bytes)} decompressed`
            : `${formatBytes(bytes)}, not compressed`,
        },
        receipt !== undefined && { name: "Outcome", value: <Outcome result={receipt} /> },
        trace_ids.length > 0 && {
          name: trace_ids.length > 1 ? "Traces" : "Trace",
          value: separated(trace_ids.map((id) => (
            <a {...traceLink(id)}>
              <code>{id}</code>
            </a>
          ))),
        },
        isStored && errors.length > 0 && {
          name: errors.length > 1 ? "Errors" : "Error",
          value: separated(
            errors.map(({ name, title }) => (
              <a href={linkTo("errors", [name, String(row.id)])}>{title}</a>
            )),
          ),
        },
        replay_id !== null && {
          name: "Recording",
          value: (
            <a href={isStored ? linkTo("recordings", [replay_id]) : undefined}>
              <code>{replay_id}</code>
            </a>
          ),
        },
      ]}
    />
  );
}

/** The first of the links, with commas between them. */
const separated = (links: readonly ReactNode[]) =>
  links.slice(0, MAX_LINKS).map((link, index) => (
    <Fragment key={index}>{index > 0 && ", "}{link}</Fragment>
  ));

/** An item of an envelope: its type and size, and when it is unfolded its payload and header. */
function Item({ item, number, envelope }: {
  item: EnvelopeContent["items"][number];
  number: number;
  envelope: number;
}) {
  const { attachment, type, bytes, offset, header, kind, text, truncated } = item;
  const [isOpen, setOpen] = useState(number === 1);
  const name = `Payload of item ${number}`;
  return (
    <details
      className="item entry"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span className="number">{number}</span> <b>{type}</b> <span>{formatBytes(bytes)}</span>
        {" "}
        <small>at byte {offset}</small>
      </summary>
      {isOpen && (
        <div className="payload">
          {attachment && !isRelay && <AttachmentList rows={[{ ...attachment, envelope }]} />}
          <p className="quiet">
            {name}: {kind}
            {truncated && <span>, truncated: see the download</span>}
          </p>
          {text !== "" && <pre tabIndex={0} aria-label={name}>{text}</pre>}
          {header !== "" && (
            <>
              <p className="quiet">Header of item {number}</p>
              <pre tabIndex={0} aria-label={`Header of item ${number}`}>{header}</pre>
            </>
          )}
        </div>
      )}
    </details>
  );
}
