import { useState } from "react";
import { Trouble } from "./Trouble.tsx";
import { formatBytes } from "../../components/format/bytes.ts";
import { formatCount } from "../../components/format/count.ts";
import { hexDump, LINE_BYTES } from "./inspect/hex_dump.ts";
import type { InspectedItem, Inspection, Problem } from "./inspect/inspect_envelope.ts";
import { useShowMore } from "../shared/show_more.tsx";
import { Payload } from "./payload.tsx";

/** Items listed at once; an envelope may have 100,000. */
const ITEMS_AT_ONCE = 100;
/** Characters of an item's type that a title holds; whoever wrote the envelope decided how many there are. */
const MAX_TYPE = 64;

/** An envelope taken to pieces: what is wrong with it, its header, its items. */
export function Inspector({ inspection }: { inspection: Inspection }) {
  const { bytes, header, items, problem } = inspection;
  const { shown, button } = useShowMore(items, ITEMS_AT_ONCE, "item");
  return (
    <div className="inspector">
      {problem && <Broken problem={problem} bytes={bytes} />}
      {header && <Payload bytes={header} name="Envelope header" />}
      <h4>{formatCount(items.length, problem ? "whole item" : "item")}</h4>
      {shown.map((item, n) => (
        <Item
          key={item.offset}
          item={item}
          number={n + 1}
          isOpen={n === 0}
        />
      ))}
      {button}
    </div>
  );
}

function Item({ item, number, isOpen }: { item: InspectedItem; number: number; isOpen: boolean }) {
  const [open, setOpen] = useState(isOpen);
  const { type, header, payload, offset } = item;
  const shortType = type.slice(0, MAX_TYPE).toWellFormed();
  return (
    <details
      className="item"
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span className="number">{number}</span> <b>{shortType}</b>{" "}
        <span>{formatBytes(payload.byteLength)}</span> <small>at byte {offset}</small>
      </summary>
      {open && (
        <>
          <Payload bytes={header} name={`Header of item ${number}`} />
          <Payload
            bytes={payload}
            name={`Payload of item ${number}`}
            file={`${number}-${shortType.replaceAll(/[^\w.-]+/g, "_")}`}
          />
        </>
      )}
    </details>
  );
}

function Broken({ problem: { what, offset, item, right }, bytes }: {
  problem: Problem;
  bytes: Uint8Array;
}) {
  const from = Math.max(0, offset - offset % LINE_BYTES);
  return (
    <Trouble
      title="This is not a whole, valid envelope."
      what={what}
      where={item === 0 ? "It is in the envelope’s own header." : `It is in item ${item}.`}
      right={right}
      around={hexDump(bytes.subarray(from, from + 4 * LINE_BYTES), from)}
    />
  );
}
