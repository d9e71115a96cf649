/**
 * Where an entry stands in the order of all: its envelope's id, then its own number within the envelope, in one whole
 * number, so that newest first is one descending order, and an envelope's entries are one range.
 */
export function placeOf(envelope: number, index: number): number {
  return envelope * PLACES + index;
}

export function envelopeAt(place: number): number {
  return Math.floor(place / PLACES);
}

export function indexAt(place: number): number {
  return place % PLACES;
}

/**
 * Places of one envelope: over its 1,000 logs, 256 items and 100 traces at most. Ids below 4 × 10¹² fit, and an inbox in
 * memory begins with the time in milliseconds.
 */
export const PLACES = 2_048;

/** Where a list goes on. */
export interface ListCursor {
  /** Only what stands before this place. */
  readonly before: number;
  /**
   * What stands here or later came after the first answer. A trace or group that has grown since keeps the place that it
   * had, so that paging shows it once, and never passes it by.
   */
  readonly asOf: number;
}

/** The `next` of an answer. */
export function writeCursor({ before, asOf }: ListCursor): string {
  return `${before}.${asOf}`;
}

/** Reads what {@linkcode writeCursor} wrote; undefined for anything else. */
export function readCursor(text: string): ListCursor | undefined {
  if (!/^\d{1,16}\.\d{1,16}$/.test(text)) return undefined;
  const [before, asOf] = text.split(".").map(Number) as [number, number];
  return Number.isSafeInteger(before) && Number.isSafeInteger(asOf) && before <= asOf
    ? { before, asOf }
    : undefined;
}

/** A `before` that is not the `next` of an earlier answer. */
export class CursorError extends Error {
  override readonly name = "CursorError";
  constructor() {
    super("Cannot list on: before is not the next of an earlier answer.");
  }
}

/**
 * Where a query begins.
 *
 * @param last the newest envelope's id
 * @throws {CursorError}
 */
export function cursorOf(before: string | undefined, last: number): ListCursor {
  if (before === undefined) {
    const top = placeOf(last + 1, 0);
    return { before: top, asOf: top };
  }
  const cursor = readCursor(before);
  if (cursor === undefined) throw new CursorError();
  return cursor;
}
