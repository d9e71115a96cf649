import { Fragment } from "react";
import { formatBytes } from "./format/bytes.ts";
import { summariseItems } from "./item_summary.ts";

/** The kinds of items in an envelope; each one's bytes as its title. */
export function ItemList({ items }: {
  items: readonly { readonly type: string; readonly bytes: number }[];
}) {
  return summariseItems(items).map(({ type, count, bytes }, index) => (
    <Fragment key={type}>
      {index > 0 && ", "}
      <span title={formatBytes(bytes)}>
        {count > 1 && `${count}\u00a0×\u00a0`}
        <Breakable text={type} />
      </span>
    </Fragment>
  ));
}

/** Lets a long item type break after its underscores. */
function Breakable({ text }: { text: string }) {
  return text.split(/(?<=_)/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
