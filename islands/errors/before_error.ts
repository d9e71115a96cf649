import type { LogRow, OccurrenceRow } from "../../monitoring/models/rows.ts";

/** An error or a log that came before an error in its trace. */
interface EarlierItem {
  /** Milliseconds before the error. */
  readonly before: number;
  /** Type of the error, or level of the log. */
  readonly what: string;
  readonly text: string;
  /** Location of the error in the code; null: unknown. */
  readonly where: string | null;
  /** Key of its source. */
  readonly source: string;
  /** Path of the error in the errors view; undefined: a log. */
  readonly error: readonly [group: string, envelope: string] | undefined;
}

/** More would push the stack trace off the screen. */
const MAX_EARLIER = 5;

/**
 * The errors and logs of a trace before one of its errors, the latest first.
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
  // Times of errors are rounded to milliseconds.
  return items.filter(({ before }) => before > -1)
    .toSorted((a, b) => a.before - b.before).slice(0, MAX_EARLIER);
}
