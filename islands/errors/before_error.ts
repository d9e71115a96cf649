import type { LogRow, OccurrenceRow } from "../../monitoring/models/rows.ts";

/** An error or a log of an error's trace. */
export interface EarlierItem {
  /** Milliseconds before the error. */
  readonly before: number;
  /** Type of the error, or level of the log. */
  readonly what: string;
  readonly text: string;
  /** The error's place in the code; null: not known. */
  readonly where: string | null;
  /** Key of its source. */
  readonly source: string;
  /** Of an error: its address in the errors view; undefined: a log. */
  readonly error: readonly [group: string, envelope: string] | undefined;
}

/** More would push the stack trace off the screen. */
const MAX_EARLIER = 5;

/**
 * What went wrong in a trace shortly before an error, the nearest first.
 *
 * @param at time of the error, milliseconds since 1970
 * @param isShown whether a row is the error itself
 */
export function itemsBefore(
  at: number,
  errors: readonly OccurrenceRow[],
  logs: readonly LogRow[],
  isShown: (row: OccurrenceRow) => boolean,
): readonly EarlierItem[] {
  const items: readonly EarlierItem[] = [
    ...errors.filter((row) => !isShown(row)).map((row) => ({
      before: at - row.at,
      what: row.type,
      text: row.value,
      where: row.where,
      source: row.source,
      error: [row.group, String(row.envelope)] as const,
    })),
    ...logs.map((row) => ({
      before: at - row.at,
      what: row.level,
      text: row.body,
      where: null,
      source: row.source,
      error: undefined,
    })),
  ];
  // Times of errors have whole milliseconds.
  return items.filter(({ before }) => before > -1)
    .toSorted((a, b) => a.before - b.before).slice(0, MAX_EARLIER);
}
