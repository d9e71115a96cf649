import { OWN_TELEMETRY } from "../protocol/own_telemetry.ts";
import type { BrowserReport } from "./browser_report.ts";

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
