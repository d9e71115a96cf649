/** One kind of item in an envelope. */
export interface ItemCount {
  readonly type: string;
  readonly count: number;
  readonly bytes: number;
}

/**
 * The kinds of items in an envelope, in the order of their first appearance, with how many of each
 * and how many bytes they take together.
 *
 * @param items type and size in bytes of each item
 */
export function summariseItems(
  items: readonly { readonly type: string; readonly bytes: number }[],
): readonly ItemCount[] {
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
