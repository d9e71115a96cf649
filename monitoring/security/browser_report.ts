/**
 * What browsers report by themselves: `application/csp-report` (https://www.w3.org/TR/CSP3/#deprecated-serialize-violation)
 * and `application/reports+json` (https://www.w3.org/TR/reporting-1/#media-type). Anyone can send them.
 */

import { at, parseJson } from "../models/json.ts";
import { OWN_TELEMETRY } from "../protocol/own_telemetry.ts";
import { RelayError } from "../relay/errors.ts";

/** Known fields that may be kept. Addresses have no user, query and fragment. */
type Fields = Readonly<Record<string, string | number | undefined>>;

/** A report, reduced to what is known and may be kept. */
type BrowserReport =
  /** Fields named as in `csp-report`. */
  | { readonly type: "csp-violation"; readonly violation: Fields }
  | {
    readonly type: "deprecation" | "intervention" | "crash";
    readonly page: string;
    /** Milliseconds since it happened. */
    readonly age: number;
    /** Of a crash its reason, such as `oom`, which may be missing. */
    readonly message: string | undefined;
    readonly attributes: Fields;
  };

export class ReportError extends RelayError {
  constructor(problem: string) {
    super("envelope_malformed", `Cannot read the report: ${problem}`);
  }
}

/** Reports of one body. Chromium keeps at most 100 for an endpoint. */
const MAX_REPORTS = 100;
/** Characters. Longer addresses are left out. */
const MAX_ADDRESS = 8_192;
const MAX_PATH = 512;
const MAX_MESSAGE = 1_000;
/** Milliseconds. Browsers drop reports after 15 minutes. */
const MAX_AGE = 3_600_000;

/** Reads a body. Reports of other types, which browsers send to the same endpoint, are left out. @throws {ReportError} */
export function readReports(format: "csp-report" | "reports+json", body: Uint8Array) {
  const json = parseJson(body);
  if (json === undefined) throw new ReportError("The body is not JSON.");
  if (format === "csp-report") {
    const report = at(json, format);
    if (!isObject(report)) throw new ReportError('The body is no object with "csp-report".');
    return [readViolation((name) => at(report, name))];
  }
  if (!Array.isArray(json)) throw new ReportError("The body is no array of reports.");
  return json.slice(0, MAX_REPORTS).flatMap((report: unknown) => readReport(report) ?? []);
}

function readReport(report: unknown): BrowserReport | undefined {
  const type = at(report, "type");
  const body = at(report, "body");
  if (!isObject(body)) throw new ReportError("A report has no body.");
  if (type === "csp-violation") {
    // `blocked-uri` → `blockedURL`
    const nameOf = (name: string) =>
      name.replace("-uri", "URL").replace("script-", "").replace(
        /-([a-z])/g,
        (_, first: string) => first.toUpperCase(),
      );
    return readViolation((name) => at(body, nameOf(name)));
  }
  if (type !== "deprecation" && type !== "intervention" && type !== "crash") return undefined;
  const id = keyword(at(body, "id"));
  const message = type === "crash"
    ? keyword(at(body, "reason"))
    : withoutQueries(at(body, "message")) ?? id;
  if (message === undefined && type !== "crash") throw new ReportError(`A ${type} has no message.`);
  return {
    type,
    page: pageOf(at(report, "url")),
    age: Math.min(integer(at(report, "age")) ?? 0, MAX_AGE),
    message,
    attributes: {
      id,
      "code.file.path": address(at(body, "sourceFile")),
      "code.line.number": integer(at(body, "lineNumber")),
      "code.column.number": integer(at(body, "columnNumber")),
    },
  };
}

/** @param sent the value of a field that `csp-report` has. The policy, which is the server's own, is left out */
function readViolation(sent: (name: string) => unknown): BrowserReport {
  // Older browsers send the directive with its sources, in `violated-directive` only.
  const [directive] = [sent("effective-directive"), sent("violated-directive")]
    .flatMap((value) => keyword(text(value).slice(0, MAX_PATH).split(" ")[0]) ?? []);
  if (directive === undefined) throw new ReportError("A violation has no effective directive.");
  return {
    type: "csp-violation",
    violation: {
      "document-uri": pageOf(sent("document-uri")),
      referrer: address(sent("referrer")),
      "effective-directive": directive,
      "blocked-uri": address(sent("blocked-uri")) ?? "unknown",
      disposition: sent("disposition") === "report" ? "report" : "enforce",
      "source-file": address(sent("source-file")),
      "line-number": integer(sent("line-number")),
      "column-number": integer(sent("column-number")),
      "status-code": integer(sent("status-code")),
      // Trusted Types: `Element innerHTML|VALUE`. Values and other samples are beginnings of markup and code: personal.
      "script-sample": /^([a-z]{1,40}(?: [a-z]{1,40})?)\|/i
        .exec(text(sent("script-sample")))?.[1],
    },
  };
}

/** An address without user, query and fragment. Of one that is not on the web only the scheme; a keyword as it is. */
function address(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MAX_ADDRESS) return undefined;
  const url = URL.parse(value);
  if (url === null) return keyword(value);
  if (!/^(?:https?|wss?):$/.test(url.protocol)) return keyword(url.protocol.slice(0, -1));
  return `${url.origin}${url.pathname.slice(0, MAX_PATH)}`;
}

function pageOf(value: unknown): string {
  const page = address(value);
  if (page === undefined) throw new ReportError("A report has no address of its page.");
  return page;
}

/** A word that is too short and plain for data, such as `inline`. */
function keyword(value: unknown): string | undefined {
  return typeof value === "string" && /^[a-z][a-z_-]{0,79}$/i.test(value) ? value : undefined;
}

/** A text of the browser, without users, queries, fragments and data of the addresses in it. */
function withoutQueries(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MAX_ADDRESS) return undefined;
  return value.toWellFormed().replace(/\b(data|blob):\S*/gi, "$1:")
    .replace(/:\/\/[^\s/?#]*@/g, "://").replace(/[?#]\S*/g, "")
    .slice(0, MAX_MESSAGE);
}

const text = (value: unknown): string => typeof value === "string" ? value : "";

function integer(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && value as number >= 0 ? value as number : undefined;
}

const isObject = (value: unknown) => typeof value === "object" && value !== null;

export interface ReportSender {
  /** Text of the DSN of the project that gets the reports. */
  readonly dsn: string;
  /** What this server's own page runs; undefined: a page of another server sent the report. */
  readonly page?: { readonly release?: string; readonly environment: string };
}

/** The envelope of one report: a violation as `raw_security`, as Sentry reads it, a crash as an error, others as a log. */
export function reportEnvelope(report: BrowserReport, sender: ReportSender, now: number): string {
  const { dsn, page } = sender;
  const event_id = randomId();
  const sent_at = new Date(now).toISOString();
  const lines = [
    { event_id, sent_at, dsn, ...(page && OWN_TELEMETRY) },
    ...itemOf(report, page, now, event_id),
  ];
  return lines.map((line) => JSON.stringify(line)).join("\n");
}

function itemOf(report: BrowserReport, own: ReportSender["page"], now: number, event_id: string) {
  const { release, environment } = own ?? {};
  if (report.type === "csp-violation") {
    return [
      // Names of Sentry's Relay.
      { type: "raw_security", sentry_release: release, sentry_environment: environment },
      { "csp-report": report.violation },
    ];
  }
  const { type, page, age, message } = report;
  const timestamp = (now - age) / 1000;
  if (type === "crash") {
    const value = message === undefined ? "The page crashed" : `The page crashed: ${message}`;
    const exception = { type: "Crash", value, mechanism: { type: "reporting", handled: false } };
    return [{ type: "event" }, {
      event_id,
      timestamp,
      platform: "javascript",
      level: "error",
      release,
      environment,
      request: { url: page },
      exception: { values: [exception] },
    }];
  }
  const attributes = Object.entries({
    ...report.attributes,
    "url.full": page,
    "sentry.release": release,
    "sentry.environment": environment,
  }).filter(([, value]) => value !== undefined)
    .map(([name, value]) =>
      [name, { value, type: typeof value === "number" ? "integer" : "string" }] as const
    );
  const log = {
    timestamp,
    // Sentry requires one, and a report has none.
    trace_id: randomId(),
    level: "warn",
    body: `${type === "deprecation" ? "Deprecation" : "Intervention"}: ${message}`,
    attributes: Object.fromEntries(attributes),
  };
  const content_type = "application/vnd.sentry.items.log+json";
  return [{ type: "log", item_count: 1, content_type }, { items: [log] }];
}

const randomId = () => crypto.randomUUID().replaceAll("-", "");
