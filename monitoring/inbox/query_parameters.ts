import { MAX_TYPE_LENGTH, tidyType } from "../models/index/index_entries.ts";
import { debugId, hexId } from "../models/json.ts";
import { readCursor } from "../models/index/list_cursor.ts";
import { LOG_LEVELS } from "../protocol/log_levels.ts";
import {
  GROUP_STATES,
  type GroupState,
  LIST_SORTS,
  type ListQuery,
  type Lists,
  MAX_LIST_ROWS,
  TRACE_STATUSES,
} from "../models/rows.ts";
import { readTimeBound } from "../models/time_bound.ts";
import { MAX_PAGE_ROWS } from "../protocol/inbox_row.ts";

/** A request parameter is not valid. */
export class ParameterError extends Error {
  override readonly name = "ParameterError";
  /** @param allowed completes the sentence "It must be …" */
  constructor(readonly parameter: string, allowed: string) {
    super(`${parameter} must be ${allowed}.`);
  }
}

/** The query of `GET /monitoring/inbox`. */
export interface InboxParameters {
  /** Only rows after this cursor; 0: all. */
  readonly since: number;
  readonly type?: string;
  readonly limit: number;
  /** Requests the body of this envelope. */
  readonly id?: number;
  /** Requests the source map with this debug id, or of the script with this address. */
  readonly map?: string;
}

/**
 * Reads the query of rows, a stream or a body. Empty, repeated or invalid parameters are refused, unknown
 * ones ignored. A `limit` over {@linkcode MAX_PAGE_ROWS} is reduced to that.
 *
 * @param lastEventId `Last-Event-ID` of a resumed stream, which is newer than `since`
 * @throws {ParameterError}
 */
export function readParameters(
  query: URLSearchParams,
  lastEventId: string | null = null,
): InboxParameters {
  const since = cursor("since", only(query, "since")) ?? 0;
  const id = only(query, "id");
  return {
    // An empty header means the same as none: no event was received yet.
    since: cursor("Last-Event-ID", lastEventId || undefined) ?? since,
    type: itemType(only(query, "type")),
    limit: rowLimit(only(query, "limit"), MAX_PAGE_ROWS),
    id: id === undefined
      ? undefined
      : integer(id, 1) ?? refuse("id", "the id of an envelope, a whole number from 1"),
    map: sourceMapId(only(query, "map")),
  };
}

type ListName = keyof Lists | "envelopes" | "sources";

/** The query of a list. */
export interface ListParameters {
  readonly view: ListName;
  readonly query: ListQuery;
}

/** The type requires every list. */
const LIST_NAMES: Readonly<Record<ListName, true>> = {
  traces: true,
  errors: true,
  occurrences: true,
  logs: true,
  pages: true,
  recordings: true,
  envelopes: true,
  sources: true,
};

/** Longer than what people type or paste into a search field, and than a release. */
const MAX_SEARCH_LENGTH = 200;

/**
 * Reads the query of a list, by the same rules as {@linkcode readParameters}, except that `q` may be empty.
 *
 * @param now milliseconds since 1970, for times that are given as an age
 * @throws {ParameterError}
 */
export function readListParameters(query: URLSearchParams, now: number): ListParameters {
  const { trace, replay, level, before, q, source, handled, state, sort, status } = Object
    .fromEntries(
      ["trace", "replay", "level", "before", "q", "source", "handled", "state", "sort", "status"]
        .map((name) => [name, only(query, name)]),
    );
  return {
    view: oneOf("view", Object.keys(LIST_NAMES) as ListName[], only(query, "view")) ??
      refuse("view", "given"),
    query: {
      q: q === undefined || q.length <= MAX_SEARCH_LENGTH
        ? q
        : refuse("q", `a text of at most ${MAX_SEARCH_LENGTH} characters`),
      trace: trace === undefined
        ? undefined
        : hexId(trace) ?? refuse("trace", "a trace's id, 32 hexadecimal digits"),
      replay: replay === undefined
        ? undefined
        : hexId(replay) ?? refuse("replay", "a recording's id, 32 hexadecimal digits"),
      group: groupKey(only(query, "group")),
      type: itemType(only(query, "type")),
      level: oneOf("level", LOG_LEVELS, level),
      handled: handled === undefined
        ? undefined
        : oneOf("handled", ["true", "false"], handled) === "true",
      state: oneOf("state", GROUP_STATES, state),
      source: source === undefined || /^(apps|sightglass|[\da-f]{14})$/.test(source)
        ? source
        : refuse("source", `apps, sightglass, or the key of a source, 14 hexadecimal digits`),
      release: name("release", "a release", query),
      environment: name("environment", "an environment", query),
      status: oneOf("status", TRACE_STATUSES, status),
      op: name("op", "an operation", query),
      page: name("page", "a page", query),
      since: timeBound("since", only(query, "since"), now),
      until: timeBound("until", only(query, "until"), now),
      now,
      sort: oneOf("sort", LIST_SORTS, sort),
      before: before === undefined || readCursor(before)
        ? before
        : refuse("before", "the `next` of an earlier page"),
      limit: rowLimit(only(query, "limit"), MAX_LIST_ROWS),
    },
  };
}

/**
 * The group of errors that a request changes.
 *
 * @throws {ParameterError} there is none, or another parameter
 */
export function readGroup(query: URLSearchParams): string {
  const others = [...query.keys()].filter((name) => name !== "group");
  if (others.length > 0) refuse("The query", "`group` alone");
  return groupKey(only(query, "group")) ?? refuse("group", "given");
}

/** Bytes of a body that sets a state; the longest has 20. */
const MAX_STATE_BYTES = 1_024;

/**
 * The state in the body of a request: `{"state":"resolved"}`.
 *
 * @throws {ParameterError}
 */
export async function readGroupState(body: Request["body"]): Promise<GroupState> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_STATE_BYTES) refuse("The body", `at most ${MAX_STATE_BYTES} bytes long`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuse("The body", 'JSON such as {"state":"resolved"}');
  }
  const { state } = Object(value) as { state?: unknown };
  return oneOf("The body's state", GROUP_STATES, typeof state === "string" ? state : "")!;
}

function groupKey(text: string | undefined): string | undefined {
  if (text === undefined || /^[\da-f]{14}$/.test(text)) return text;
  return refuse("group", "the key of a group of errors, 14 hexadecimal digits");
}

function timeBound(name: string, text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  return readTimeBound(text, now) ??
    refuse(name, "a time in milliseconds since 1970, or an age such as 10m, 1h or 7d");
}

function name(parameter: string, what: string, query: URLSearchParams): string | undefined {
  const text = only(query, parameter);
  return text === undefined || (text !== "" && text.length <= MAX_SEARCH_LENGTH)
    ? text
    : refuse(parameter, `${what} of 1 to ${MAX_SEARCH_LENGTH} characters`);
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
  const limit = integer(text, 1) ??
    refuse("limit", `a whole number from 1 (at most ${max} rows are sent)`);
  return Math.min(limit, max);
}

function only(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  return values.length > 1 ? refuse(name, "given once") : values[0];
}

function cursor(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return integer(text, 0) ?? refuse(name, "a cursor, a whole number from 0");
}

function itemType(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const valid = text !== "" && text.length <= MAX_TYPE_LENGTH && tidyType(text) === text;
  return valid ? text : refuse("type", `an item's type, of 1 to ${MAX_TYPE_LENGTH} characters`);
}

/** Characters of a script's address. All browsers support 2,000. */
const MAX_ADDRESS_LENGTH = 2_000;

function sourceMapId(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const isAddress = /^https?:\/\/[^\s#]+$/.test(text) && text.length <= MAX_ADDRESS_LENGTH;
  return debugId(text) ??
    (isAddress
      ? text
      : refuse("map", "the debug id of a script, a UUID with dashes, or its address"));
}

function integer(text: string, min: number): number | undefined {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(value) && value >= min ? value : undefined;
}

function refuse(parameter: string, allowed: string): never {
  throw new ParameterError(parameter, allowed);
}
