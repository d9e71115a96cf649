import type { ImportRefusal, ImportResult } from "../../../monitoring/protocol/inbox_archive.ts";
import { type InboxRow, parseRow } from "../../../monitoring/protocol/inbox_row.ts";
import type { Refusal as RefusedRequest } from "../../../monitoring/protocol/relay_api.ts";
import { LOG_LEVELS } from "../../../monitoring/protocol/log_levels.ts";
import {
  type Check,
  isCount,
  isText,
  isTextOrNull,
  isTexts,
} from "../../../monitoring/protocol/value_checks.ts";
import {
  GROUP_STATES,
  type GroupAlert,
  type ListCounts,
  type Lists,
  type Page,
  type SourceList,
  type SourceRow,
} from "../../../monitoring/models/rows.ts";

/** Milliseconds, may have fractions. */
const isTime: Check = (value) => Number.isFinite(value);
const isTimeOrNull: Check = (value) => value === null || isTime(value);
const isCounts: Check = (value) => Array.isArray(value) && value.every(isCount);
const isCountOrNull: Check = (value) => value === null || isCount(value);
const isBooleanOrNull: Check = (value) => value === null || typeof value === "boolean";
const isBoolean: Check = (value) => typeof value === "boolean";
const isLevel: Check = (value) => (LOG_LEVELS as readonly unknown[]).includes(value);
const isAttributes: Check = (value) =>
  typeof value === "object" && value !== null && !Array.isArray(value) &&
  Object.values(value).every((one) => ["string", "number", "boolean"].includes(typeof one));

const REGRESSION = { release: isTextOrNull, resolved_in: isTextOrNull };
const isStyles: Check = (value) =>
  value === undefined ||
  Array.isArray(value) &&
    value.every((run) => Array.isArray(run) && isCount(run[0]) && isText(run[1]));

/** The properties of each row. The type requires a check for every property. */
const SHAPES: {
  readonly [Name in keyof Lists]: Readonly<Record<keyof Lists[Name], Check>>;
} = {
  traces: {
    trace_id: isText,
    name: isTextOrNull,
    op: isTextOrNull,
    started_at: isTime,
    ended_at: isTimeOrNull,
    spans: isCount,
    errors: isCount,
    logs: isCount,
    failed: isBoolean,
    http_status: isCountOrNull,
    replay_id: isTextOrNull,
    received_at: isTime,
    sources: isTexts,
  },
  errors: {
    group: isText,
    type: isText,
    value: isText,
    where: isTextOrNull,
    level: isText,
    handled: isBooleanOrNull,
    count: isCount,
    first_seen: isTime,
    last_seen: isTime,
    chart: isCounts,
    chart_from: isTime,
    chart_to: isTime,
    envelope: isCount,
    trace_id: isTextOrNull,
    source: isText,
    state: (value) => (GROUP_STATES as readonly unknown[]).includes(value),
    regression: (value) => value === null || pick(value, REGRESSION) !== undefined,
  },
  occurrences: {
    group: isText,
    type: isText,
    where: isTextOrNull,
    source: isText,
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
    styles: isStyles,
    attributes: isAttributes,
    trace_id: isTextOrNull,
    span_id: isTextOrNull,
    source: isText,
  },
  pages: {
    page: isText,
    source: isText,
    loads: isCount,
    lcp: isTimeOrNull,
    inp: isTimeOrNull,
    cls: isTimeOrNull,
    fcp: isTimeOrNull,
    ttfb: isTimeOrNull,
  },
  recordings: {
    replay_id: isText,
    kind: (value) => value === "page" || value === "video",
    page: isTextOrNull,
    started_at: isTime,
    ended_at: isTime,
    segments: isCount,
    missing: isCount,
    doubled: isCount,
    errors: isCount,
    bytes: isCount,
    source: isText,
  },
};

/**
 * Validates a page of a list. Invalid rows and unknown properties are dropped.
 *
 * @throws {TypeError} not a page; the message is for display
 */
export function parsePage<Name extends keyof Lists>(name: Name, value: unknown): Page<Lists[Name]> {
  return pageOf(value, (row) => pick(row, SHAPES[name]) as Lists[Name] | undefined);
}

/** {@linkcode parsePage} for envelopes. */
export function parseEnvelopePage(value: unknown): Page<InboxRow> {
  return pageOf(value, parseRow);
}

const SOURCE_SHAPE: Readonly<Record<keyof SourceRow, Check>> = {
  key: isText,
  name: isText,
  environment: isTextOrNull,
  side: (value) => ["browser", "server", "unknown"].includes(value as string),
  releases: isTexts,
  envelopes: isCount,
  last_seen: isTime,
};

const COUNT_SHAPE: Readonly<Record<keyof ListCounts, Check>> = {
  traces: isCountOrNull,
  errors: isCountOrNull,
  logs: isCountOrNull,
  recordings: isCountOrNull,
  envelopes: isCountOrNull,
};

/** {@linkcode parsePage} for sources and counts. */
export function parseSources(value: unknown): SourceList {
  const { rows, counts, ops } = Object(value) as Record<string, unknown>;
  const valid = pick(counts, COUNT_SHAPE);
  if (!Array.isArray(rows) || valid === undefined || !isTexts(ops)) throw new TypeError(NO_LIST);
  return {
    rows: rows.map((row) => pick(row, SOURCE_SHAPE)).filter((row) =>
      row !== undefined
    ) as SourceRow[],
    counts: valid as ListCounts,
    ops: ops as string[],
  };
}

const NO_LIST = "The inbox did not answer with a list. Reload the page.";

/** What the relay refused, newest first. Invalid rows are dropped. */
export function parseRefusals(value: unknown): readonly RefusedRequest[] {
  return pageOf(value, (row) => pick(row, REFUSAL) as RefusedRequest | undefined).rows;
}

const REFUSAL: Readonly<Record<keyof RefusedRequest, Check>> = {
  at: (value) => isText(value) && !Number.isNaN(Date.parse(value as string)),
  error: isText,
  detail: isText,
  origin: isTextOrNull,
  address: isText,
  user_agent: isTextOrNull,
};

/** Validates news of a group of errors; undefined: invalid. */
export function parseAlert(value: unknown): GroupAlert | undefined {
  return pick(value, ALERT) as GroupAlert | undefined;
}

const ALERT: Readonly<Record<keyof GroupAlert, Check>> = {
  kind: (value) => value === "new" || value === "regression",
  group: isText,
  type: isText,
  message: isText,
  release: isTextOrNull,
  environment: isTextOrNull,
  source: isText,
};

function pageOf<Row>(value: unknown, parse: (row: unknown) => Row | undefined): Page<Row> {
  const { rows, next } = Object(value) as Record<string, unknown>;
  if (!Array.isArray(rows) || !isTextOrNull(next)) {
    throw new TypeError(NO_LIST);
  }
  return {
    rows: rows.map(parse).filter((row) => row !== undefined),
    next: next as string | null,
  };
}

/** A copy with the properties of the shape; undefined if one is invalid. */
function pick(value: unknown, shape: Readonly<Record<string, Check>>): object | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const row: Record<string, unknown> = {};
  for (const [name, isValid] of Object.entries(shape)) {
    const property = (value as Record<string, unknown>)[name];
    if (!isValid(property)) return undefined;
    if (property !== undefined) row[name] = property;
  }
  return row;
}

/** Validates the result of an import; undefined if it is something else, such as a refusal. */
export function parseImport(value: unknown): ImportResult | undefined {
  const { taken, present, refused, reasons, detail } = Object(value) as Record<string, unknown>;
  if (!isNumber(taken) || !isNumber(present) || !isNumber(refused) || !Array.isArray(reasons)) {
    return undefined;
  }
  return {
    taken,
    present,
    refused,
    reasons: reasons.filter(isRefusal).map(({ envelope, offset, reason }) => ({
      envelope,
      offset,
      reason,
    })),
    ...(typeof detail === "string" && { broken: detail }),
  };
}

function isRefusal(value: unknown): value is ImportRefusal {
  const { envelope, offset, reason } = Object(value) as Record<string, unknown>;
  return isNumber(envelope) && isNumber(offset) && typeof reason === "string";
}

const isNumber = (value: unknown): value is number => Number.isSafeInteger(value);
