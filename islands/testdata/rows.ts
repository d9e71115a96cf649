import type { Receipt } from "../../monitoring/browser/mod.ts";
import type { LogRow } from "../../monitoring/models/log_row.ts";
import type { MonitorRunRow } from "../../monitoring/models/monitors/monitor_row.ts";
import type { OccurrenceRow } from "../../monitoring/models/error/error_row.ts";
import type { TraceRow } from "../../monitoring/models/trace/trace_row.ts";

/** Rows and receipts; a test sets the fields that it is about. */

export const logRow = (part: Partial<LogRow> = {}): LogRow => ({
  envelope: 9,
  index: 0,
  at: 0,
  level: "warn",
  body: "refused",
  attributes: {},
  trace_id: null,
  span_id: null,
  replay_id: null,
  application: "shop",
  ...part,
});

export const occurrenceRow = (part: Partial<OccurrenceRow> = {}): OccurrenceRow => ({
  group: "0a",
  type: "PaymentError",
  value: "Card declined",
  where: "charge (/shop.cjs)",
  level: "error",
  handled: null,
  application: "shop",
  envelope: 1,
  event_id: "e".repeat(32),
  at: 0,
  trace_id: null,
  replay_id: null,
  ...part,
});

export const traceRow = (part: Partial<TraceRow> = {}): TraceRow => ({
  trace_id: "known",
  name: "/",
  op: "pageload",
  started_at: 1,
  ended_at: 5,
  spans: 2,
  errors: 1,
  logs: 3,
  failed: false,
  http_status: null,
  release: null,
  replay_id: null,
  received_at: 6,
  match: null,
  applications: ["sightglass"],
  ...part,
});

export const runRow = (part: Partial<MonitorRunRow> = {}): MonitorRunRow => ({
  envelope: 1,
  index: 0,
  monitor: "sightglass//job",
  slug: "job",
  application: "sightglass",
  environment: null,
  check_in_id: null,
  started_at: 1,
  state: "ok",
  duration: 5,
  release: null,
  trace_id: null,
  ...part,
});

/** Of an envelope that went all the way to the inbox. */
export const receiptOf = (part: Partial<Receipt> = {}): Receipt => ({
  id: "e",
  at: 1,
  items: [{ type: "event", bytes: 10 }],
  bytes: 20,
  sentBytes: 20,
  attempts: 1,
  tookMs: 30,
  storedMs: 4,
  sentMs: 10,
  status: 200,
  outcome: "stored",
  ...part,
});
