import { type ReactNode, useMemo, useRef, useState } from "react";
import { formatBytes, formatCount } from "../../components/format.ts";
import { saveBytes } from "../shared/FileButton.tsx";
import { ProblemBox } from "./ProblemBox.tsx";
import type { InspectedItem, Inspection, Problem } from "./inspect_envelope.ts";
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
export function Inspector({ inspection }: { inspection: Inspection }) {
  const { bytes, header, items, problem } = inspection;
  const { shown, button } = useShowMore(items, ITEMS_AT_ONCE, "item");
  return (
    <div className="inspector">
      {problem && <InvalidEnvelope problem={problem} bytes={bytes} />}
      <h4>{formatCount(items.length, problem ? "complete item" : "item")}</h4>
      {shown.map((item, n) => (
        <Item
          key={item.offset}
          item={item}
          number={n + 1}
          initiallyOpen={n === 0}
        />
      ))}
      {button}
      {header && <FoldedPayload bytes={header} name="Envelope header" />}
    </div>
  );
}

/**
 * Shows a long list step by step.
 *
 * @param step items shown at first, and added by each press of the button
 * @param noun singular of the items: "envelope"
 */
export function useShowMore<Item>(items: readonly Item[], step: number, noun: string) {
  const [count, setCount] = useState(step);
  const left = items.length - count;
  return {
    shown: items.slice(0, count),
    button: left > 0 && (
      <button type="button" onClick={() => setCount(count + step)}>
        Show {formatCount(Math.min(step, left), noun)} more
      </button>
    ),
  };
}

function Item({ item, number, initiallyOpen }: {
  item: InspectedItem;
  number: number;
  initiallyOpen: boolean;
}) {
  const { type, header, payload, offset } = item;
  const shortType = cutText(type, MAX_TYPE);
  return (
    <LazyDetails
      className="item"
      initiallyOpen={initiallyOpen}
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
    <LazyDetails className="payload" summary={<>{name} {size}</>}>
      <Payload bytes={bytes} name={name} />
    </LazyDetails>
  );
}

/** Content that is rendered while it is unfolded. */
function LazyDetails({ className, summary, initiallyOpen = false, children }: {
  className: string;
  summary: ReactNode;
  initiallyOpen?: boolean;
  children: ReactNode;
}) {
  const [open, setOpen] = useState(initiallyOpen);
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
      <p>
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

function InvalidEnvelope({ problem: { what, offset, item, right }, bytes }: {
  problem: Problem;
  bytes: Uint8Array;
}) {
  const from = Math.max(0, offset - offset % LINE_BYTES);
  return (
    <ProblemBox
      title="The envelope is incomplete or invalid."
      what={what}
      where={item === 0 ? "Location: envelope header." : `Location: item ${item}.`}
      right={right}
      dump={hexDump(bytes.subarray(from, from + 4 * LINE_BYTES), from)}
    />
  );
}
