import { type ReactNode, useMemo, useRef, useState } from "react";
import { formatBytes, formatCount } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { saveBytes } from "../shared/FileButton.tsx";
import { type InspectedItem, inspectEnvelope, type Problem } from "./inspect_envelope.ts";
import {
  hexDump,
  INITIAL_CHARACTERS,
  LINE_BYTES,
  MAX_CHARACTERS,
  readPayload,
} from "./readable_payload.ts";
import { cutText } from "../shared/text.ts";

/** Items shown at once; an envelope may contain 100,000. */
const ITEMS_AT_ONCE = 100;
/** Characters of an item's type; the sender decides how long it is. */
const MAX_TYPE = 64;

/** The content of an envelope: its problem if it is invalid, its header, its items. */
export function Inspector({ bytes }: { bytes: Uint8Array }) {
  const { header, items, problem } = useMemo(() => inspectEnvelope(bytes), [bytes]);
  const [count, setCount] = useState(ITEMS_AT_ONCE);
  const left = items.length - count;
  return (
    <div className="pad spaced">
      {problem && <InvalidEnvelope problem={problem} bytes={bytes} />}
      <h4>{formatCount(items.length, problem ? "complete item" : "item")}</h4>
      {items.slice(0, count).map((item, n) => (
        <Item
          key={item.offset}
          item={item}
          number={n + 1}
        />
      ))}
      {left > 0 && (
        <button type="button" onClick={() => setCount(count + ITEMS_AT_ONCE)}>
          Show {formatCount(Math.min(ITEMS_AT_ONCE, left), "item")} more
        </button>
      )}
      {header && <FoldedPayload bytes={header} name="Envelope header" />}
    </div>
  );
}

function Item({ item, number }: { item: InspectedItem; number: number }) {
  const { type, header, payload, offset } = item;
  const shortType = cutText(type, MAX_TYPE);
  return (
    <LazyDetails
      className="item entry"
      isFirst={number === 1}
      summary={
        <>
          <span className="number">{number}</span> <b>{shortType}</b>{" "}
          <span>{formatBytes(payload.byteLength)}</span> <small>at byte {offset}</small>
        </>
      }
    >
      <Payload
        bytes={payload}
        name={`Payload of item ${number}`}
        file={`${number}-${shortType.replaceAll(/[^\w.-]+/g, "_")}`}
      />
      <FoldedPayload bytes={header} name={`Header of item ${number}`} />
    </LazyDetails>
  );
}

/** A header in one line, which opens it. */
function FoldedPayload({ bytes, name }: { bytes: Uint8Array; name: string }) {
  const size = <small>{formatBytes(bytes.byteLength)}</small>;
  return (
    <LazyDetails className="payload" summary={<span className="quiet">{name} {size}</span>}>
      <Payload bytes={bytes} name={name} />
    </LazyDetails>
  );
}

/** Content that is rendered while it is unfolded. @param props.isFirst unfolded at first */
function LazyDetails({ className, summary, isFirst = false, children }: {
  className: string;
  summary: ReactNode;
  isFirst?: boolean;
  children: ReactNode;
}) {
  const [open, setOpen] = useState(isFirst);
  return (
    <details
      className={className}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{summary}</summary>
      {open && children}
    </details>
  );
}

/**
 * Bytes as JSON, text or hex dump, with a button that shows all of a long text.
 *
 * @param props.name accessible name: "Payload of item 1"
 * @param props.file file name; if given, there is a download button
 */
function Payload({ bytes, name, file }: { bytes: Uint8Array; name: string; file?: string }) {
  const [limit, setLimit] = useState(INITIAL_CHARACTERS);
  const place = useRef<HTMLPreElement>(null);
  const { kind, text, complete } = useMemo(() => readPayload(bytes, limit), [bytes, limit]);
  const size = formatBytes(bytes.byteLength);
  const canShowAll = !complete && kind !== "bytes" && limit < MAX_CHARACTERS;
  return (
    <div className="payload">
      <p className="quiet">
        {name}: {kind}, {size}
        {!complete && <span>, truncated</span>}
        {file && (
          <>
            {" "}
            <button
              type="button"
              className="plain"
              onClick={() => saveBytes(bytes, file)}
            >
              Download {name.toLowerCase()}
            </button>
          </>
        )}
      </p>
      {text !== "" && <pre ref={place} tabIndex={0} aria-label={name}>{text}</pre>}
      {canShowAll && (
        <p>
          <button
            type="button"
            className="plain"
            onClick={() => {
              setLimit(MAX_CHARACTERS);
              // The button is removed: the focus moves to the text.
              place.current?.focus();
            }}
          >
            Show all ({size})
          </button>
        </p>
      )}
    </div>
  );
}

function InvalidEnvelope({ problem: { what, offset, right }, bytes }: {
  problem: Problem;
  bytes: Uint8Array;
}) {
  const from = offset - offset % LINE_BYTES;
  return (
    <div role="alert" className="failure spaced">
      <p className="refused">
        <OutcomeMark kind="refused" />
        <b>The envelope is incomplete or invalid.</b>
      </p>
      <p>{what}</p>
      <p>{right}</p>
      <pre tabIndex={0} aria-label="Bytes at the problem">
        {hexDump(bytes.subarray(from, from + 4 * LINE_BYTES), from)}
      </pre>
    </div>
  );
}
