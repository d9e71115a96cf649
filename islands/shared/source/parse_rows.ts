import { type InboxRow, parseRow } from "../../../monitoring/protocol/inbox_row.ts";
import { type Lists, LOG_LEVELS, type Page } from "../../../monitoring/models/rows.ts";

/** Says whether a value from outside is what an attribute may be. */
type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === "string";
const isTextOrNull: Test = (value) => value === null || isText(value);
/** Times may have fractions; JSON knows no infinities, but who parsed it may not have been JSON. */
const isTime: Test = (value) => Number.isFinite(value);
const isTimeOrNull: Test = (value) => value === null || isTime(value);
const isCount: Test = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isTruthOrNull: Test = (value) => value === null || typeof value === "boolean";
const isLevel: Test = (value) => (LOG_LEVELS as readonly unknown[]).includes(value);
const isAttributes: Test = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) &&
  Object.values(value).every((one) => ["string", "number", "boolean"].includes(typeof one));

/** What each row must have; a test for every attribute, so that a new one cannot be forgotten. */
const SHAPES: { readonly [Name in keyof Lists]: Readonly<Record<keyof Lists[Name], Test>> } = {
  traces: {
    trace_id: isText,
    name: isTextOrNull,
    op: isTextOrNull,
    started_at: isTime,
    ended_at: isTimeOrNull,
    spans: isCount,
    errors: isCount,
    logs: isCount,
    replay_id: isTextOrNull,
    received_at: isTime,
  },
  errors: {
    group: isText,
    type: isText,
    value: isText,
    where: isTextOrNull,
    level: isText,
    handled: isTruthOrNull,
    count: isCount,
    first_seen: isTime,
    last_seen: isTime,
    envelope: isCount,
    trace_id: isTextOrNull,
  },
  occurrences: {
    group: isText,
    envelope: isCount,
    event_id: isTextOrNull,
    at: isTime,
    value: isText,
    trace_id: isTextOrNull,
    replay_id: isTextOrNull,
  },
  logs: {
    envelope: isCount,
    index: isCount,
    at: isTime,
    level: isLevel,
    body: isText,
    attributes: isAttributes,
    trace_id: isTextOrNull,
    span_id: isTextOrNull,
  },
};

/**
 * A page of rows as an answer carries it. Rows that are none are left out, attributes that are not known are dropped.
 *
 * @throws {TypeError} the answer is no page of rows at all; the message is made to be shown
 */
export function parsePage<Name extends keyof Lists>(name: Name, value: unknown): Page<Lists[Name]> {
  return pageOf(value, (row) => pick(row, SHAPES[name]) as Lists[Name] | undefined);
}

/** {@linkcode parsePage} for envelopes. */
export function parseEnvelopePage(value: unknown): Page<InboxRow> {
  return pageOf(value, parseRow);
}

function pageOf<Row>(value: unknown, parse: (row: unknown) => Row | undefined): Page<Row> {
  const { rows, next } = Object(value) as Record<string, unknown>;
  if (!Array.isArray(rows) || !isTextOrNull(next)) {
    throw new TypeError("The inbox answered with something else than a list: reload the page.");
  }
  return {
    rows: rows.map(parse).filter((row) => row !== undefined),
    next: next as string | null,
  };
}

/** A new object that has the shape's attributes and no other; undefined if one does not fit. */
function pick(value: unknown, shape: Readonly<Record<string, Test>>): object | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const row: Record<string, unknown> = {};
  for (const [name, fits] of Object.entries(shape)) {
    const attribute = (value as Record<string, unknown>)[name];
    if (!fits(attribute)) return undefined;
    row[name] = attribute;
  }
  return row;
}
