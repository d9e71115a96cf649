import assert from "node:assert/strict";
import * as Sentry from "@sentry/core";
import fc from "fast-check";
import { envelopeOf } from "../../inbox/testdata/envelopes.ts";
import { indexBody } from "../index/index_entries.ts";
import { parseEnvelope } from "../parsed_envelope.ts";
import { type CheckInEntry, checkInEntry, type MonitorConfig, scheduleWords } from "./check_in.ts";

const NOW = 1_795_262_400_000;
const id = "a".repeat(32);

/** What is indexed of the envelopes that the SDK sends. */
async function sentBySdk(send: (client: Sentry.ServerRuntimeClient) => void) {
  const found: CheckInEntry[] = [];
  const client = new Sentry.ServerRuntimeClient({
    ...{ dsn: "https://key@localhost/1", integrations: [], stackParser: () => [] },
    ...{ release: "worker@1", environment: "test" },
    transport: (options) =>
      Sentry.createTransport(options, ({ body }) => {
        const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
        const { resources } = indexBody([parseEnvelope(bytes)], Date.now());
        for (const { checkIns, application } of resources) {
          found.push(...checkIns);
          assert.equal(application.environment, "test");
        }
        return Promise.resolve({ statusCode: 200 });
      }),
  });
  client.init();
  send(client);
  await client.flush();
  return found;
}

Deno.test("check-ins of Sentry's SDK → entries with its time, configuration and trace", async () => {
  const before = Date.now();
  const [start, end] = await sentBySdk((client) => {
    const scope = new Sentry.Scope();
    scope.setPropagationContext({ traceId: id, sampleRand: 0.5 });
    const config: Sentry.MonitorConfig = {
      schedule: { type: "crontab", value: "0 2 * * *" },
      ...{ checkinMargin: 5, maxRuntime: 10, timezone: "Europe/Stockholm" },
    };
    const checkInId = client.captureCheckIn(
      { monitorSlug: "report", status: "in_progress" },
      config,
      scope,
    );
    const finished = { monitorSlug: "report", status: "ok", checkInId, duration: 0.302 } as const;
    client.captureCheckIn(finished, undefined, scope);
  }) as [CheckInEntry, CheckInEntry];
  assert.ok(start.at >= before && start.at <= Date.now());
  assert.equal(start.check_in_id, end.check_in_id);
  assert.deepEqual([start.slug, start.status, start.trace_id], ["report", "in_progress", id]);
  assert.deepEqual([end.status, end.duration, end.config], ["ok", 302, null]);
  assert.deepEqual(JSON.parse(start.config!), {
    schedule: { type: "crontab", value: "0 2 * * *" },
    timezone: "Europe/Stockholm",
    margin_ms: 300_000,
    max_runtime_ms: 600_000,
  });
});

Deno.test("check-in of Python's SDK → its own time; without id, monitor or status → none or no entry", () => {
  const python = {
    type: "check_in",
    ...{ monitor_slug: " nightly\nreport ", check_in_id: "0".repeat(32), status: "error" },
    ...{ duration: null, timestamp: "2026-11-21T12:00:00.500000Z" },
    monitor_config: { schedule: { type: "interval", value: 10, unit: "minute" } },
  };
  const entry = checkInEntry(python, { sent_at: "2026-11-21T12:00:09Z" }, NOW);
  assert.deepEqual(entry, {
    ...{ slug: "nightly report", check_in_id: null, status: "error", duration: null },
    ...{ at: Date.UTC(2026, 10, 21, 12, 0, 0, 500), trace_id: null },
    config: JSON.stringify({
      schedule: { type: "interval", value: 10, unit: "minute" },
      ...{ timezone: null, margin_ms: 60_000, max_runtime_ms: 1_800_000 },
    }),
  });
  const wrong = [{ monitor_slug: "" }, { monitor_slug: 5 }, { status: "missed" }, { status: {} }];
  const items = wrong.map((fields) => ["check_in", { ...python, ...fields }] as const);
  assert.equal(indexBody([parseEnvelope(envelopeOf({}, ...items))], NOW).unlisted, wrong.length);
});

Deno.test("any JSON → never throws, bounded entry", () => {
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<unknown>("x".repeat(9_000), -1, 1e300, id, "\ud800\u0000", "2099-01-01"),
  );
  const payload = fc.record({
    monitor_slug: fc.oneof(fc.constant("job"), anything),
    status: fc.oneof(fc.constantFrom("in_progress", "ok"), anything),
    check_in_id: anything,
    duration: anything,
    timestamp: anything,
    contexts: anything,
    monitor_config: fc.oneof(
      anything,
      fc.record({
        schedule: fc.oneof(
          anything,
          fc.record({
            type: fc.constantFrom("crontab", "interval"),
            value: anything,
            unit: anything,
          }),
        ),
        checkin_margin: anything,
        max_runtime: anything,
        timezone: anything,
      }),
    ),
  }, { requiredKeys: [] });
  fc.assert(fc.property(fc.oneof(payload, anything), anything, (json, header) => {
    const entry = checkInEntry(json, header, NOW);
    if (entry === undefined) return;
    const text = JSON.stringify(entry);
    assert.ok(text.length < 1_500);
    assert.ok(text.isWellFormed());
    assert.ok(entry.at > 0 && entry.at <= NOW + 86_400_000);
    if (entry.config !== null) scheduleWords(JSON.parse(entry.config));
  }));
});

Deno.test("schedules → words, with the time zone where there is a time of day", () => {
  const words = (schedule: MonitorConfig["schedule"], timezone: string | null = null) =>
    scheduleWords({ schedule, timezone, margin_ms: 0, max_runtime_ms: 0 });
  assert.equal(words(null), null);
  assert.equal(words({ type: "interval", value: 1, unit: "day" }), "every day");
  assert.equal(words({ type: "interval", value: 3, unit: "hour" }), "every 3 hours");
  const crontabs = {
    "* * * * *": "every minute",
    "*/15 * * * *": "every 15 min",
    "*/7 * * * *": "*/7 * * * *, UTC",
    "0 2 * * *": "daily at 02:00, UTC",
    "5 2 * * 1": "5 2 * * 1, UTC",
    "0 25 * * *": "0 25 * * *, UTC",
    "@daily": "@daily, UTC",
    "0 0 L * *": "0 0 L * *, UTC",
    "whatever": "whatever, UTC",
  };
  for (const [value, expected] of Object.entries(crontabs)) {
    assert.equal(words({ type: "crontab", value }), expected);
  }
  const stockholm = words({ type: "crontab", value: "0 2 * * *" }, "Europe/Stockholm");
  assert.equal(stockholm, "daily at 02:00, Europe/Stockholm");
});
