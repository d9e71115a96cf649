import { Fragment } from "react";
import { formatBytes } from "./format.ts";

interface Item {
  readonly type: string;
  readonly bytes: number;
}

/** All items of one type in an envelope. */
interface ItemCount {
  readonly type: string;
  readonly count: number;
  readonly bytes: number;
}

/** The item types of an envelope with their counts; the title of each has its size. */
export function ItemList({ items }: { items: readonly Item[] }) {
  return summariseItems(items).map(({ type, count, bytes }, index) => (
    <Fragment key={type}>
      {index > 0 && ", "}
      <span title={formatBytes(bytes)}>
        {count > 1 && `${count}\u00a0×\u00a0`}
        <BreakAfterUnderscores text={type} />
      </span>
    </Fragment>
  ));
}

/** Counts items and adds up their bytes by type, in order of first appearance. */
export function summariseItems(items: readonly Item[]): readonly ItemCount[] {
  const counts = new Map<string, ItemCount>();
  for (const { type, bytes } of items) {
    const before = counts.get(type);
    counts.set(type, {
      type,
      count: (before?.count ?? 0) + 1,
      bytes: (before?.bytes ?? 0) + bytes,
    });
  }
  return [...counts.values()];
}

/** Lets long item types wrap. */
function BreakAfterUnderscores({ text }: { text: string }) {
  return text.split(/(?<=_)/).map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
