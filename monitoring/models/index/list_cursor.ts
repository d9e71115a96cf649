import type { ListQuery } from "../list_query.ts";
import { MAX_LIST_ROWS, type Page } from "../rows.ts";

/**
 * The position of an index entry among all entries: its envelope's id and its index in the envelope,
 * as one integer. "Newest first" is then one descending order, and an envelope's entries are one range.
 */
export function rowKeyOf(envelope: number, index: number): number {
  return envelope * KEYS_PER_ENVELOPE + index;
}

export function envelopeAt(rowKey: number): number {
  return Math.floor(rowKey / KEYS_PER_ENVELOPE);
}

/** The index within its envelope of the entry with a row key. */
export function indexAt(rowKey: number): number {
  return rowKey % KEYS_PER_ENVELOPE;
}

/**
 * Keys per envelope: more than its at most 10,000 entries (`MAX_ENTRIES`), each of which may be of another trace, and
 * what its items and resources add. Leaves room for ids up to 5 × 10¹¹.
 */
export const KEYS_PER_ENVELOPE = 16_384;

/**
 * The time as an id, for inboxes whose ids begin with it: milliseconds since 2026.
 *
 * @param now milliseconds since 1970
 */
export const idOfTime = (now: number): number => Math.max(0, now - ID_EPOCH_MS);
export const ID_EPOCH_MS = Date.UTC(2026, 0);

/** The position in a list where the next page begins. */
interface ListCursor {
  /** Only entries before this row key. */
  readonly before: number;
  /**
   * Entries from this row key on arrived after the first page and are ignored. A trace or group that has
   * grown since keeps its position, so that paging shows it exactly once.
   */
  readonly asOf: number;
  /** In a list that is not ordered by row key: the last row's value in the order. The page begins after that row. */
  readonly at?: number | undefined;
  /** Orders rows with one value. Default: 0. */
  readonly tie?: number | undefined;
}

/** Serializes a cursor for the `next` of a page. */
export function writeCursor({ before, asOf, at, tie = 0 }: ListCursor): string {
  return [`${before}.${asOf}`, at ?? [], tie === 0 ? [] : `t${tie}`].flat().join(".");
}

/** Parses the result of {@linkcode writeCursor}; undefined if it is something else. */
export function readCursor(text: string): ListCursor | undefined {
  const [, before, asOf, at, tie = 0] =
    /^(\d{1,16})\.(\d{1,16})(?:\.(-?\d{1,16}(?:\.\d{1,16})?))?(?:\.t(\d{1,16}))?$/.exec(text) ?? [];
  const cursor = { before: Number(before), asOf: Number(asOf), tie: Number(tie) };
  const isValid = Object.values(cursor).every(Number.isSafeInteger) && cursor.before <= cursor.asOf;
  if (!isValid) return undefined;
  return at === undefined ? cursor : { ...cursor, at: Number(at) };
}

/** A query's `before` is not the `next` of an earlier page. */
export class CursorError extends Error {
  override readonly name = "CursorError";
  constructor() {
    super("Cannot read the next page: before must be the next of an earlier page.");
  }
}

/**
 * The cursor of a query.
 *
 * @param before the query's `before`; undefined: the list begins with the newest entry
 * @param asOf the row key after all entries
 * @throws {CursorError}
 */
export function cursorOf(before: string | undefined, asOf: number): ListCursor {
  if (before === undefined) return { before: asOf, asOf };
  const cursor = readCursor(before);
  if (cursor === undefined) throw new CursorError();
  return cursor;
}

/**
 * One page of rows that were made by a program.
 *
 * @param all each with the value by which they are ordered, and a row key: of one value, the newest are first
 * @param asOf the row key after all entries
 * @throws {CursorError}
 */
export function rankedPage<Ranked extends Readonly<Record<"rank" | "key", number>>, Row>(
  all: readonly Ranked[],
  descending: boolean,
  { before, limit = MAX_LIST_ROWS }: ListQuery,
  asOf: number,
  toRow: (ranked: Ranked) => Row,
): Page<Row> {
  const { at, tie: _, ...cursor } = cursorOf(before, asOf);
  const sign = descending ? -1 : 1;
  const sorted = all.toSorted((a, b) => sign * (a.rank - b.rank) || b.key - a.key);
  const start = at === undefined
    ? 0
    : sorted.findIndex(({ rank, key }) =>
      sign * (rank - at) > 0 || rank === at && key < cursor.before
    );
  const rest = start === -1 ? [] : sorted.slice(start);
  const page = rest.slice(0, limit);
  const end = page.at(-1);
  return {
    rows: page.map(toRow),
    next: end && page.length < rest.length
      ? writeCursor({ ...cursor, before: end.key, at: end.rank })
      : null,
  };
}
