import { MAX_TYPE_LENGTH, tidyType } from "../models/describe.ts";
import { DEBUG_ID } from "../models/error/debug_ids.ts";
import { hexId } from "../models/json.ts";
import { readCursor } from "../models/entries/list_cursor.ts";
import { type ListQuery, type Lists, LOG_LEVELS, MAX_LIST_ROWS } from "../models/rows.ts";
import { MAX_PAGE_ROWS } from "../protocol/inbox_row.ts";

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
  const id = only(query, "id");
  return {
    // An EventSource that has seen no event yet sends no header; an empty one means the same.
    since: cursor("Last-Event-ID", lastEventId || undefined) ?? since,
    type: itemType(only(query, "type")),
    limit: rowLimit(only(query, "limit"), MAX_PAGE_ROWS),
    id: id === undefined
      ? undefined
      : wholeNumber(id, 1) ?? refuse("id", "the id of an envelope, a whole number from 1"),
    map: debugId(only(query, "map")),
  };
}

/** One of the console's lists is asked for. */
export interface ViewParameters {
  readonly view: keyof Lists | "envelopes";
  readonly query: ListQuery;
}

const VIEWS: readonly ViewParameters["view"][] = [
  "traces",
  "errors",
  "occurrences",
  "logs",
  "envelopes",
];

/** Longer than any message that a person types or pastes to find it again. */
const MAX_SOUGHT_LENGTH = 200;

/**
 * Reads the query of one of the console's lists, by the same rules as {@linkcode readParameters}. An empty `q` seeks
 * nothing.
 *
 * @throws {ParameterError}
 */
export function readView(query: URLSearchParams): ViewParameters {
  const { trace, group, level, before, q } = Object.fromEntries(
    ["trace", "group", "level", "before", "q"].map((name) => [name, only(query, name)]),
  );
  return {
    view: oneOf("view", VIEWS, only(query, "view")) ?? refuse("view", "given"),
    query: {
      q: q === undefined || q.length <= MAX_SOUGHT_LENGTH
        ? q
        : refuse("q", `a text of at most ${MAX_SOUGHT_LENGTH} characters`),
      trace: trace === undefined
        ? undefined
        : hexId(trace) ?? refuse("trace", "a trace's id, 32 hexadecimal digits"),
      group: group === undefined || /^[\da-f]{14}$/.test(group)
        ? group
        : refuse("group", "the key of a group of errors, 14 hexadecimal digits"),
      type: itemType(only(query, "type")),
      level: oneOf("level", LOG_LEVELS, level),
      before: before === undefined || readCursor(before)
        ? before
        : refuse("before", "the `next` of an earlier answer"),
      limit: rowLimit(only(query, "limit"), MAX_LIST_ROWS),
    },
  };
}

function oneOf<T extends string>(
  name: string,
  allowed: readonly T[],
  text: string | undefined,
): T | undefined {
  if (text === undefined) return undefined;
  return allowed.find((value) => value === text) ?? refuse(name, `one of ${allowed.join(", ")}`);
}

function rowLimit(text: string | undefined, max: number): number {
  if (text === undefined) return max;
  const limit = wholeNumber(text, 1) ??
    refuse("limit", `a whole number from 1 (at most ${max} rows come)`);
  return Math.min(limit, max);
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
