/** What a row states is what its sender sent, for any set of envelopes. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { readTrace } from "../models/trace/trace.ts";
import { Inbox } from "./inbox.ts";
import { admitted, type Attributes, envelopeOf, hexId } from "./testdata/envelopes.ts";

const NOW = 1_795_262_400_000;
const SDKS = ["sentry.javascript.browser", "sentry.javascript.node"];
const RELEASES = ["shop-web@2.0.0", "shop-api@1.4.2", "shop-api@1.5.0"];

/** Of spans of a trace, in whichever envelope they are. */
const number = fc.integer({ min: 1, max: 12 });
/** Seconds before {@linkcode NOW}, of senders whose clocks differ. */
const second = fc.integer({ min: 0, max: 40 });

const span = fc.record({
  trace: fc.integer({ min: 1, max: 2 }),
  parent: fc.option(number, { nil: undefined }),
  op: fc.constantFrom(
    ...["pageload", "navigation", "http.server", "http.client", "db", "ui.action"],
    ...["ui.interaction.click", "ui.webvital.lcp"],
  ),
  start: second,
  duration: second,
  is_segment: fc.boolean(),
  status: fc.constantFrom(undefined, 200, 404, 503),
});
type Span = typeof span extends fc.Arbitrary<infer T> ? T : never;

const idOf = (number: number) => number.toString(16).padStart(16, "0");

const sent = (
  { trace, parent, op, start, duration, is_segment, status }: Span,
  number: number,
  release: string,
) => ({
  trace_id: hexId(trace),
  span_id: idOf(number + 1),
  parent_span_id: parent === undefined ? undefined : idOf(parent),
  name: `${op} of span ${number}`,
  start_timestamp: NOW / 1_000 - start,
  end_timestamp: NOW / 1_000 - start + duration,
  is_segment,
  attributes: {
    "sentry.op": { value: op },
    "sentry.release": { value: release },
    ...status && { "http.response.status_code": { value: status } },
  },
});

const envelope = fc.record({
  sdk: fc.constantFrom(...SDKS),
  release: fc.constantFrom(...RELEASES),
  /** Of the page that began the trace. */
  origin: fc.constantFrom(...RELEASES),
  spans: fc.array(span, { minLength: 1, maxLength: 5 }),
});

Deno.test("any envelopes → each trace has name, time, status of a page load, navigation or server root", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(envelope, { minLength: 1, maxLength: 6 }), async (envelopes) => {
      const inbox = new Inbox({ maxBytes: 1_000_000 });
      try {
        const all: (ReturnType<typeof sent> & { sdk: string; op: string })[] = [];
        for (const { sdk, release, origin, spans } of envelopes) {
          const items = spans.map((span, n) => sent(span, all.length + n, release));
          items.forEach((item, n) => all.push({ ...item, sdk, op: spans[n]!.op }));
          const header: Attributes = { sdk: { name: sdk }, trace: { release: origin } };
          await inbox.store(admitted(envelopeOf(header, ["span", { items }]), NOW));
        }
        for (const row of inbox.page("traces", {}).rows) {
          const spans = all.filter(({ trace_id }) => trace_id === row.trace_id);
          const isServer = ({ sdk, op, is_segment, parent_span_id }: typeof spans[number]) =>
            sdk !== SDKS[0] && !/^ui\.(interaction|webvital)/.test(op) &&
            (is_segment || parent_span_id === undefined);
          const others = spans.filter(({ op }) => !/^ui\.(interaction|webvital)/.test(op));
          const best = [
            spans.filter(({ op }) => op === "pageload"),
            spans.filter(({ op }) => op === "navigation"),
            spans.filter((span) => isServer(span) && span.parent_span_id === undefined),
            spans.filter(isServer),
            others.filter(({ span_id }) =>
              spans.some(({ parent_span_id }) => parent_span_id === span_id)
            ),
            others,
          ].find((found) => found.length > 0);
          const named = spans.find(({ name }) => name === row.name);
          if (best !== undefined) {
            assert.ok(
              best.some(({ name }) => name === row.name),
              `${row.name} of ${best.map(({ name }) => name)}`,
            );
            const earliest = Math.min(...best.map(({ start_timestamp }) => start_timestamp));
            assert.equal(named!.start_timestamp, earliest);
            assert.equal(row.started_at, named!.start_timestamp * 1_000);
            assert.equal(row.ended_at, named!.end_timestamp * 1_000);
            const status = named!.attributes["http.response.status_code"]?.value ?? null;
            assert.equal(row.http_status, status, "of the span that it is named for");
            for (const hundreds of [2, 4, 5] as const) {
              const { rows } = inbox.page("traces", {
                trace: row.trace_id,
                status: `${hundreds}xx`,
              });
              assert.equal(rows.length === 1, Math.floor((status ?? 0) / 100) === hundreds);
            }
          }
          const { summary } = readTrace(inbox.trace(row.trace_id));
          assert.deepEqual(
            [summary.name, summary.op, summary.started_at, summary.duration_ms],
            [row.name, row.op, row.started_at, row.ended_at! - row.started_at],
            "the detail agrees with the list",
          );
        }
      } finally {
        inbox.close();
      }
    }),
    { numRuns: 100 },
  );
});

const item = fc.constantFrom(
  "event",
  "transaction",
  "span",
  "log",
  "check_in",
  "session",
  "profile_chunk",
);

/** The item as SDKs send it, without anything of the application that began the trace. */
function itemOf(type: string, release: string): readonly [string, unknown] {
  const attributes = { "sentry.release": { value: release } };
  const trace = { trace_id: hexId(1), op: "http.server" };
  if (type === "span") return [type, { items: [{ trace_id: hexId(1), name: "s", attributes }] }];
  if (type === "log") return [type, { items: [{ trace_id: hexId(1), body: release, attributes }] }];
  if (type === "session") return [type, { attrs: { release } }];
  return [type, { release, contexts: { trace }, message: release, transaction: release }];
}

Deno.test("any senders in one trace → every row's release is that of its own payload", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          sdk: fc.constantFrom(...SDKS),
          release: fc.constantFrom(...RELEASES),
          origin: fc.constantFrom(...RELEASES),
          items: fc.array(item, { minLength: 1, maxLength: 3 }),
        }),
        { minLength: 1, maxLength: 8 },
      ),
      async (envelopes) => {
        const inbox = new Inbox({ maxBytes: 1_000_000 });
        try {
          for (const { sdk, release, origin, items } of envelopes) {
            const header = { sdk: { name: sdk }, trace: { trace_id: hexId(1), release: origin } };
            await inbox.store(
              admitted(envelopeOf(header, ...items.map((type) => itemOf(type, release))), NOW),
            );
          }
          for (const release of RELEASES) {
            const own = envelopes.filter((one) => one.release === release);
            const count = (type: string) =>
              own.flatMap(({ items }) => items).filter((one) => one === type).length;
            assert.equal(inbox.page("envelopes", { release }).rows.length, own.length);
            const bodies = inbox.page("logs", { release }).rows.map(({ body }) => body);
            assert.deepEqual(bodies, Array(count("log")).fill(release));
            const values = inbox.page("occurrences", { release }).rows.map(({ value }) => value);
            assert.deepEqual(values, Array(count("event")).fill(release));
            const groups = inbox.page("errors", { release }).rows;
            assert.equal(groups.reduce((sum, { count }) => sum + count, 0), count("event"));
          }
          const { rows } = inbox.applications({});
          for (const { name, releases } of rows) {
            for (const release of releases) assert.equal(release.split("@")[0], name);
          }
        } finally {
          inbox.close();
        }
      },
    ),
    { numRuns: 60 },
  );
});
