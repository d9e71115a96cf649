import { MAX_TYPE_LENGTH, tidyType } from "./describe.ts";
import { DEBUG_ID } from "./read/debug_ids.ts";
import { MAX_PAGE_ROWS } from "./row.ts";

/** A parameter of a request cannot be understood. */
export class ParameterError extends Error {
  override readonly name = "ParameterError";
  constructor(readonly parameter: string, allowed: string) {
    super(`${parameter} is not ${allowed}.`);
  }
}

/** What `GET /monitoring/inbox` may say in its query. */
export interface InboxParameters {
  /** Rows after this cursor; 0: from the oldest. */
  readonly since: number;
  readonly type?: string;
  readonly limit: number;
  /** One envelope's bytes are asked for. */
  readonly id?: number;
  /** The source map that has this debug id is asked for. */
  readonly map?: string;
}

/**
 * Reads the query of a list, a stream or a download. A parameter that is empty, repeated or does not fit is refused
 * rather than guessed at; unknown ones are ignored. A `limit` over {@linkcode MAX_PAGE_ROWS} counts as that: who asks
 * for more goes on with the answer's cursor in any case.
 *
 * @param lastEventId the header `Last-Event-ID` of a stream that is taken up again: it is newer than `since`
 * @throws {ParameterError}
 */
export function readParameters(
  query: URLSearchParams,
  lastEventId: string | null = null,
): InboxParameters {
  const since = cursor("since", only(query, "since")) ?? 0;
  const limit = only(query, "limit");
  const id = only(query, "id");
  return {
    // An EventSource that has seen no event yet sends no header; an empty one means the same.
    since: cursor("Last-Event-ID", lastEventId || undefined) ?? since,
    type: itemType(only(query, "type")),
    limit: limit === undefined ? MAX_PAGE_ROWS : Math.min(
      wholeNumber(limit, 1) ??
        refuse("limit", `a whole number from 1 (at most ${MAX_PAGE_ROWS} rows come)`),
      MAX_PAGE_ROWS,
    ),
    id: id === undefined
      ? undefined
      : wholeNumber(id, 1) ?? refuse("id", "the id of an envelope, a whole number from 1"),
    map: debugId(only(query, "map")),
  };
}

function only(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  return values.length > 1 ? refuse(name, "given once") : values[0];
}

function cursor(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return wholeNumber(text, 0) ?? refuse(name, "a cursor, a whole number from 0");
}

function itemType(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const valid = text !== "" && text.length <= MAX_TYPE_LENGTH && tidyType(text) === text;
  return valid ? text : refuse("type", `an item's type, of 1 to ${MAX_TYPE_LENGTH} characters`);
}

function debugId(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const id = text.toLowerCase();
  return DEBUG_ID.test(id) ? id : refuse("map", "a script's debug id, a UUID with its dashes");
}

function wholeNumber(text: string, min: number): number | undefined {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(value) && value >= min ? value : undefined;
}

function refuse(parameter: string, allowed: string): never {
  throw new ParameterError(parameter, allowed);
}
