import { tidyType } from "../models/index/index_entries.ts";
import { MAX_QUERY_LENGTH } from "../models/query/query.ts";
import { MAX_TYPE_LENGTH } from "../protocol/envelope.ts";
import { debugId, hexId, parseJson, textAt } from "../models/json.ts";
import { readCursor } from "../models/index/list_cursor.ts";
import { FIGURES } from "../models/metric/figures.ts";
import { METRIC_KINDS } from "../models/metric/metric_id.ts";
import { GROUP_STATES, type GroupState } from "../models/error/error_row.ts";
import { MAX_LIST_ROWS } from "../models/rows.ts";
import {
  type FilterValues,
  LIST_FILTERS,
  LIST_SORTS,
  type ListFilter,
  type ListName,
} from "../models/list_query.ts";
import { HISTOGRAM_LISTS } from "../models/histogram.ts";
import { readTimeBound } from "../models/time_units.ts";
import { MAX_PAGE_ROWS } from "../protocol/inbox_row.ts";
import { readBody } from "../protocol/read_body.ts";

export class ParameterError extends Error {
  override readonly name = "ParameterError";
  /** @param allowed completes the sentence "It must be …" */
  constructor(readonly parameter: string, allowed: string) {
    super(`${parameter} must be ${allowed}.`);
  }
}

/**
 * Reads the query of rows, a stream or a body. Empty, repeated or invalid parameters are refused, unknown ones ignored.
 *
 * @param lastEventId `Last-Event-ID` of a resumed stream, which is newer than `since`
 * @throws {ParameterError}
 */
export function readParameters(
  query: URLSearchParams,
  lastEventId: string | null = null,
) {
  const optional = readerOf(query);
  const since = optional("since", cursor) ?? 0;
  return {
    // An empty header means the same as none: no event was received yet.
    since: lastEventId ? cursor(lastEventId, "Last-Event-ID") : since,
    type: optional("type", itemType),
    limit: optional("limit", rowLimit(MAX_PAGE_ROWS)) ?? MAX_PAGE_ROWS,
    /** Requests the body of this envelope. */
    id: optional("id", envelopeId),
    /** Requests the source map with this debug id, or of the script with this address. */
    map: optional("map", sourceMapId),
    /** Requests what an item of an envelope attaches. */
    attachment: optional("attachment", attachmentPlace),
  };
}

/** A record: the compiler requires all of them. */
const LISTS: Readonly<Record<ListName | "applications" | "histogram", 0>> = {
  ...{ traces: 0, errors: 0, occurrences: 0, logs: 0, pages: 0, endpoints: 0, queries: 0 },
  ...{ recordings: 0, profiles: 0, feedback: 0, ai_runs: 0, ai_sums: 0, monitors: 0, runs: 0 },
  ...{ metrics: 0, envelopes: 0, applications: 0, histogram: 0 },
};
const LIST_NAMES = Object.keys(LISTS) as (keyof typeof LISTS)[];

/** The other values of `view`: details, and what the relay refused. */
const OTHER_VIEWS = "trace error recording profile metric endpoint envelope refusals".split(" ");

/** Reads the query of a list, by the same rules, except that `q` may be empty. @param now milliseconds since 1970 */
export function readListParameters(query: URLSearchParams, now: number) {
  const optional = readerOf(query);
  return {
    view: optional("view", listName) ?? refuse("view", "given"),
    query: {
      ...readFilters(optional, now),
      of: optional("of", oneOf(HISTOGRAM_LISTS)),
      now,
      sort: optional("sort", oneOf(LIST_SORTS)),
      before: optional("before", listCursor),
      limit: optional("limit", rowLimit(MAX_LIST_ROWS)) ?? MAX_LIST_ROWS,
    },
  };
}

function readFilters(optional: ReturnType<typeof readerOf>, now: number): FilterValues {
  const readers = { ...READERS, time: timeBound(now) };
  const filters = Object.entries<ListFilter>(LIST_FILTERS).map(([name, { values }]) => {
    const read: Read<unknown> = typeof values === "string" ? readers[values] : oneOf(values);
    return [name, optional(name, read)];
  });
  return Object.fromEntries(filters) as FilterValues;
}

/** The parameters of `view=endpoint`. @param now milliseconds since 1970 */
export function readEndpointParameters(query: URLSearchParams, now: number) {
  const optional = readerOf(query);
  const { name = refuse("name", "given"), ...filters } = readFilters(optional, now);
  return { ...filters, name, now, id: optional("id", applicationKey) ?? refuse("id", "given") };
}

/** The parameters of `view=metric`. @param now milliseconds since 1970 */
export function readMetricParameters(query: URLSearchParams, now: number) {
  const optional = readerOf(query);
  const filters = readFilters(optional, now);
  return {
    ...filters,
    now,
    name: filters.name ?? refuse("name", "given"),
    kind: optional("kind", oneOf(METRIC_KINDS)),
    unit: optional("unit", matching(/^.{0,63}$/s, "a unit as sent, or empty")),
    by: optional("by", matching(/^.{1,100}$/s, "the name of an attribute")),
    show: optional("show", oneOf(FIGURES)),
    every: optional("every", parsed(readLength, "a length of time such as 10s, 5m or 1h")),
  };
}

/** Milliseconds of a length of time: `5m`. */
const readLength = (text: string) => {
  const ms = /[smhd]$/.test(text) ? -(readTimeBound(text, 0) ?? 0) : 0;
  return ms >= 1_000 ? ms : undefined;
};

/** The parameters of `view=trace`, `recording`, `profile`, `envelope` and `error`, whose `id` is that of a group. */
export function readDetailParameters(query: URLSearchParams) {
  const optional = readerOf(query);
  const required = <T>(read: Read<T>) => optional("id", read) ?? refuse("id", "given");
  return {
    trace: () => required(idOf("a trace")),
    recording: () => required(idOf("a recording")),
    profile: () => ({
      id: required(idOf("a profile")),
      /** The span to whose time and thread it is limited. */
      trace: optional("trace", idOf("a trace")),
      span: optional("span", READERS.text),
      thread: optional("thread", READERS.text),
    }),
    envelope: () => required(envelopeId),
    error: () => ({
      group: required(groupKey),
      application: optional("application", applicationKey),
      envelope: optional("envelope", envelopeId),
      /** Which event, if the envelope has several. */
      event: optional("event", idOf("an event")),
    }),
  };
}

/** The group of errors that a request changes: its only parameter. */
export function readGroup(query: URLSearchParams): string {
  const others = [...query.keys()].filter((name) => name !== "group");
  if (others.length > 0) refuse("The query", "`group` alone");
  return readerOf(query)("group", groupKey) ?? refuse("group", "given");
}

/** Bytes of a body that sets a state; the longest has 20. */
const MAX_STATE_BYTES = 1_024;

/** The state in the body of a request: `{"state":"resolved"}`. */
export async function readGroupState(body: Request["body"]): Promise<GroupState> {
  const bytes = await readBody(body ?? new Blob().stream(), MAX_STATE_BYTES).catch((error) => {
    if (!(error instanceof RangeError)) throw error;
    return refuse("The body", `at most ${MAX_STATE_BYTES} bytes long`);
  });
  const json = parseJson(bytes);
  if (json === undefined) refuse("The body", 'JSON such as {"state":"resolved"}');
  return oneOf(GROUP_STATES)(textAt(json, "state") ?? "", "The body's state");
}

/** Reads the text of a parameter, or refuses it. */
type Read<T> = (text: string, name: string) => T;

/** Returns a function that reads a parameter, and returns undefined if the query does not have it. */
function readerOf(query: URLSearchParams) {
  return <T>(name: string, read: Read<T>): T | undefined => {
    const [text, another] = query.getAll(name);
    if (another !== undefined) refuse(name, "given once");
    return text === undefined ? undefined : read(text, name);
  };
}

/** Refuses texts for which `parse` returns no value. */
const parsed =
  <T>(parse: (text: string) => T | null | undefined, allowed: string): Read<T> => (text, name) =>
    parse(text) ?? refuse(name, allowed);

const matching = (pattern: RegExp, allowed: string) =>
  parsed((text) => pattern.test(text) ? text : undefined, allowed);

const oneOf = <T extends string>(allowed: readonly T[]): Read<T> =>
  parsed((text) => allowed.find((value) => value === text), `one of ${allowed.join(", ")}`);

const trueOrFalse: Read<boolean> = (text, name) => oneOf(["true", "false"])(text, name) === "true";

const listName = parsed(
  (text) => LIST_NAMES.find((name) => name === text),
  `one of ${[...LIST_NAMES, ...OTHER_VIEWS].join(", ")}`,
);
const groupKey = matching(
  /^f?[\da-f]{14}$/,
  "the key of a group of errors, 14 hexadecimal digits, or of a feedback, which begins with f",
);
const applicationKey = matching(
  /^(apps|sightglass|[\da-f]{14})$/,
  "apps, sightglass, or the key of an application, 14 hexadecimal digits",
);

const searchText = parsed(
  (text) => text.length <= MAX_QUERY_LENGTH ? text : undefined,
  `a text of at most ${MAX_QUERY_LENGTH} characters`,
);
const idOf = (owner: string) => parsed(hexId, `${owner}'s id, 32 hexadecimal digits`);

const timeBound = (now: number) =>
  parsed(
    (text) => readTimeBound(text, now),
    "a time in milliseconds since 1970, or an age such as 10m, 1h or 7d",
  );

const rowLimit = (max: number) =>
  parsed((text) => {
    const limit = integer(text, 1);
    return limit && Math.min(limit, max);
  }, `a whole number from 1 (at most ${max} rows are sent)`);

const cursor = parsed((text) => integer(text, 0), "a cursor, a whole number from 0");
const listCursor = parsed(
  (text) => readCursor(text) && text,
  "the `next` of an earlier page",
);
const envelopeId = parsed(
  (text) => integer(text, 1),
  "the id of an envelope, a whole number from 1",
);
const attachmentPlace = parsed(
  (text) => {
    const [envelope, item, ...more] = text.split(".").map((part, n) => integer(part, n ? 0 : 1));
    return envelope && item !== undefined && more.length === 0 ? { envelope, item } : undefined;
  },
  "the id of an envelope and the index of an item in it, such as 12.1",
);
const itemType = parsed(
  (text) =>
    text !== "" && text.length <= MAX_TYPE_LENGTH && tidyType(text) === text ? text : undefined,
  `an item's type, of 1 to ${MAX_TYPE_LENGTH} characters`,
);

/** How the values of a filter are read, by their kind. */
const READERS = {
  search: searchText,
  // As many characters as a span's name has.
  text: matching(/^.{1,1001}$/s, "a text of 1 to 1,001 characters"),
  id: parsed(hexId, "an id, 32 hexadecimal digits"),
  group: groupKey,
  application: applicationKey,
  type: itemType,
  flag: trueOrFalse,
  number: parsed((text) => integer(text, 1), "a whole number from 1"),
};

// All browsers support addresses of 2,000 characters.
const sourceMapId = parsed(
  (text) => debugId(text) ?? (/^https?:\/\/[^\s#]{1,1992}$/.test(text) ? text : undefined),
  "the debug id of a script, a UUID with dashes, or its address",
);

function integer(text: string, min: number): number | undefined {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(value) && value >= min ? value : undefined;
}

function refuse(parameter: string, allowed: string): never {
  throw new ParameterError(parameter, allowed);
}
