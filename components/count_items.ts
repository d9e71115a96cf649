/** All items of one type in an envelope. */
interface ItemCount {
  readonly type: string;
  readonly count: number;
  /** Of all of them. */
  readonly bytes: number;
}

/** Counts the items of each type, in order of first appearance. */
export function countItems(
  items: readonly { readonly type: string; readonly bytes: number }[],
): readonly ItemCount[] {
  return [...Map.groupBy(items, ({ type }) => type)].map(([type, same]) => ({
    type,
    count: same.length,
    bytes: same.reduce((sum, { bytes }) => sum + bytes, 0),
  }));
}
