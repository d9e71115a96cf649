import assert from "node:assert/strict";
import fc from "fast-check";
import { boundedAttributes } from "../models/attributes.ts";
import { errorEntry } from "../models/error/error_entry.ts";
import { LOG_ATTRIBUTES, logEntry } from "../models/log_entry.ts";
import { matches, parseQuery, type Searched } from "../models/query/query.ts";
import {
  releaseNames,
  searchedError,
  searchedLog,
  searchedTraceSpan,
} from "../models/query/searched.ts";
import { idWords, wordsOf } from "../models/query/words.ts";
import { parseEnvelope } from "../models/parsed_envelope.ts";
import { Inbox } from "./inbox.ts";
import { admitted, type Attributes, envelopeOf, hexId } from "./testdata/envelopes.ts";

const NOW = 1_795_262_400_000;
const SENDERS = [
  { application: "shop", release: "shop@1", environment: "test" },
  { application: "web", release: "2", environment: "live" },
];

const text = fc.constantFrom(
  ...[
    "Payment failed",
    "payment",
    "Größe A-12",
    "main.go:42",
    "order.id A-1",
    "11111111",
    "",
    "ÄÖ €",
  ],
);
const value = fc.oneof(
  text,
  fc.constantFrom("A-1", "A-12", "a-1", "5", "€", "true", 5, 5.5, -1, 0, true, false, 1e15),
  fc.constantFrom(["A-1"], { a: [1] }, null),
);
const attributes = fc.dictionary(
  fc.constantFrom(
    "order.id",
    "amount",
    "http.method",
    "http.request.method",
    "größe",
    "level",
    "name",
    "http.status_code",
    "status_code",
    "gen_ai.tool.name",
    "server.address",
    "request.url",
  ),
  value,
  { maxKeys: 3 },
);
const trace_id = fc.integer({ min: 1, max: 4 }).map(hexId);
const span_id = fc.integer({ min: 1, max: 5 }).map((n) => `${n}`.repeat(16));
const level = fc.constantFrom("debug", "warn", "error");

const span = fc.record({
  trace_id,
  span_id,
  name: text,
  status: fc.constantFrom("ok", "error"),
  seconds: fc.constantFrom(0.001, 0.5, 2),
  op: fc.option(fc.constantFrom("db", "http.server", "gen_ai.execute_tool")),
  code: fc.option(fc.integer({ min: 3, max: 7 })),
  attributes,
}).map(({ seconds, op, code, attributes, ...rest }) => ({
  ...rest,
  start_timestamp: NOW / 1_000 - 9,
  end_timestamp: NOW / 1_000 - 9 + seconds,
  attributes: {
    ...attributes,
    ...op && { "sentry.op": op },
    ...code && { "http.response.status_code": code },
  },
}));
const log = fc.record({ trace_id, span_id, body: text, level, attributes });
const error = fc.record({
  trace_id,
  event_id: fc.integer({ min: 50, max: 52 }).map(hexId),
  level,
  type: fc.constantFrom("TypeError", "Payment"),
  value: text,
  tags: attributes,
}).map(({ trace_id, type, value, ...rest }) => ({
  ...rest,
  exception: { values: [{ type, value }] },
  contexts: { trace: { trace_id } },
}));

/** Of OpenTelemetry; undefined: Sentry's SDKs send none. */
const resource = fc.option(
  fc.dictionary(fc.constantFrom("order.id", "host.name", "http.method", "größe"), value, {
    maxKeys: 2,
  }),
  { nil: undefined },
);

const word = fc.constantFrom(
  ...[
    "pay",
    '"pay"',
    '"payment failed"',
    "payment",
    "failed",
    "größe",
    "GROSSE",
    "a-1",
    "main.go:42",
  ],
  ...["order.id", "5", "€", "e0000000", hexId(2), "1111-1111", "11111111", "event", "log", '"'],
  ...["application:shop", "release:2", "release:1", "environment:live", "environment:t*"],
  ...["status_code:>4", "status_code:1..5"],
);
const key = fc.constantFrom(
  ...["order.id", "amount", "method", "größe", "name", "op", "status", "level", "type", "message"],
  ...["application", "release", "environment", "duration", "other", "main.go", "http.method"],
  ...["status_code", "server", "url.full"],
  ...["service.name", "service.version", "deployment.environment.name"],
);
const wanted = fc.constantFrom(
  ...[
    "A-1",
    "a-1",
    "A*",
    '"A-1"',
    '"5"',
    '"42"',
    "A-12",
    "5",
    "5.0",
    ">4",
    "<=5",
    "1..5.5",
    "*",
    "true",
    "f*",
    "€",
  ],
  ...[
    '""',
    "null",
    '"[\\"A-1\\"]"',
    '"Payment failed"',
    "pay*",
    "db",
    "error",
    "warn",
    "42",
    "test",
  ],
  ...["shop", "shop@1", "sh*", "TypeError", ">100ms", "<1s", "1ms..500ms", "log", "1e15"],
);
const term = fc.tuple(
  fc.constantFrom("", "", "-"),
  fc.oneof(word, fc.tuple(key, wanted).map(([key, value]) => `${key}:${value}`)),
).map(([minus, term]) => minus + term);
const query = fc.array(term, { minLength: 1, maxLength: 3 }).map((terms) => terms.join(" "));

const ofIds = (...ids: string[]): Searched => ({
  words: " ",
  ids: idWords(...ids),
  fields: {},
  attributes: {},
});

Deno.test("any query → the rows of each list whose entries match it", async () => {
  const body = fc.record({
    sender: fc.constantFrom(...SENDERS),
    resource,
    spans: fc.array(span, { maxLength: 3 }),
    logs: fc.array(log, { maxLength: 3 }),
    errors: fc.array(error, { maxLength: 1 }),
  }).filter(({ spans, logs, errors }) => spans.length + logs.length + errors.length > 0);
  await fc.assert(
    fc.asyncProperty(
      fc.array(body, { minLength: 1, maxLength: 4 }),
      fc.array(query, { minLength: 20, maxLength: 20 }),
      async (bodies, queries) => {
        const inbox = new Inbox({ maxBytes: 10_000_000 });
        using _closed = { [Symbol.dispose]: () => inbox.close() };
        const envelopes: Searched[][] = [];
        const logs: Searched[] = [];
        const errors: Searched[] = [];
        const traces = new Map<string, Searched[]>();
        for (const { sender, resource: others, ...sentBy } of bodies) {
          const { spans, logs: sentLogs, errors: sentErrors } = sentBy;
          const { application, release, environment } = sender;
          const resource = others && {
            ...others,
            "service.name": application,
            "service.version": release,
            "deployment.environment.name": environment,
          };
          const withSender = (entry: Searched): Searched => ({
            ...entry,
            fields: { ...entry.fields, ...sender, release: releaseNames(release) },
            resource: boundedAttributes(resource, LOG_ATTRIBUTES),
          });
          const add = (entry: Searched, trace: unknown, list: Searched[]) => {
            const searched = withSender(entry);
            envelopes.at(-1)!.push(searched);
            list.push(searched);
            traces.get(trace as string)!.push(searched);
          };
          const sent = (one: Attributes) => ({
            ...one,
            attributes: {
              ...one.attributes as Attributes,
              "service.name": application,
              "sentry.release": release,
              "sentry.environment": environment,
            },
          });
          const events = sentErrors.map(({ contexts, ...error }) => ({
            ...error,
            release,
            environment,
            contexts: { ...contexts, app: { app_name: application } },
          }));
          const items = [
            ["span", { items: spans.map(sent) }] as const,
            ["log", { items: sentLogs.map(sent) }] as const,
            ...events.map((event) => ["event", event] as const),
          ];
          const types = new Set(items.map(([type]) => type));
          const all = [...spans, ...sentLogs].map(({ trace_id }) => trace_id);
          const traceIds = [...all, ...sentErrors.map(({ contexts }) => contexts.trace.trace_id)];
          const ids = idWords(
            ...traceIds,
            ...sentErrors.slice(0, 1).map(({ event_id }) => event_id),
          );
          // Each of its types is a value of the field.
          const own = [...types].map((type) =>
            withSender({
              words: wordsOf([...types].join("\n")),
              ids,
              fields: { type },
              attributes: {},
            })
          );
          envelopes.push(own);
          for (const id of traceIds) if (!traces.has(id)) traces.set(id, [ofIds(id)]);
          for (const one of (items[1]![1] as { items: Attributes[] }).items) {
            add(searchedLog(logEntry(one, NOW)), one.trace_id, logs);
          }
          for (const one of events) {
            add(searchedError(errorEntry(one, NOW)), one.contexts.trace.trace_id, errors);
          }
          const envelope = admitted(envelopeOf({}, ...items), NOW);
          const parsed = {
            ...parseEnvelope(envelopeOf({}, ...items)),
            ...resource && { resource },
          };
          await inbox.store({ ...envelope, parsed: [parsed] });
        }
        const stored = inbox.page("envelopes", {}).rows.map(({ id }) => id).reverse();
        for (const [id, entries] of traces) {
          const { spans, resources = [] } = inbox.trace(id);
          for (const span of spans) {
            const searched = searchedTraceSpan(span, resources[span.resource ?? -1]);
            entries.push(searched);
            envelopes[stored.indexOf(span.envelope)]!.push(searched);
          }
        }
        const durations = new Map(
          inbox.page("traces", {}).rows.map((
            row,
          ) => [row.trace_id, row.ended_at && row.ended_at - row.started_at]),
        );
        for (const q of queries) {
          const terms = parseQuery(q);
          const single = (entries: readonly Searched[]) =>
            entries.filter((entry) => matches(terms, entry)).length;
          const together = (entries: readonly Searched[]) =>
            terms.every((term) =>
              entries.some((entry) => matches([{ ...term, isExcluded: false }], entry)) !==
                term.isExcluded
            );
          assert.equal(inbox.page("logs", { q }).rows.length, single(logs), q);
          assert.equal(inbox.page("occurrences", { q }).rows.length, single(errors), q);
          assert.equal(
            inbox.page("envelopes", { q }).rows.length,
            envelopes.filter(together).length,
            q,
          );
          const found = [...traces].filter(([id, entries]) =>
            terms.every((term) => {
              const isOwn = term.field === "duration" && term.value.is === "range";
              const of = isOwn
                ? [{ ...ofIds(), fields: { duration: durations.get(id) } }]
                : entries;
              return of.some((entry) => matches([{ ...term, isExcluded: false }], entry)) !==
                term.isExcluded;
            })
          ).map(([id]) => id);
          assert.deepEqual(
            inbox.page("traces", { q }).rows.map(({ trace_id }) => trace_id).sort(),
            found.sort(),
            q,
          );
        }
      },
    ),
    { numRuns: 40 },
  );
});

Deno.test("words of many logs of a trace → it is found by all of them, by no phrase of two logs", async () => {
  const inbox = new Inbox({ maxBytes: 50_000_000 });
  using _closed = { [Symbol.dispose]: () => inbox.close() };
  const words = new Map<string, Set<string>>();
  const logOf = (n: number) => {
    const trace = n % 600;
    const body = `${trace % 2 === 0 ? "even " : ""}common${trace % 3 === 0 ? " rare" : ""}`;
    return { trace_id: hexId(trace), body, level: trace % 5 === 0 ? "error" : "info" };
  };
  const others = Array.from({ length: 300 }, (_, n) => ({
    ...{ trace_id: hexId(500 + n), body: n % 2 === 0 ? "rare" : "other", level: "info" },
  }));
  const store = async (items: ReturnType<typeof logOf>[]) => {
    for (const { trace_id, body, level } of items) {
      const of = words.get(trace_id) ?? words.set(trace_id, new Set()).get(trace_id)!;
      for (const word of [...body.split(" "), level, body]) of.add(word.trim());
    }
    const sent = items.map((one) => ({ ...one, timestamp: NOW / 1_000 }));
    await inbox.store(admitted(envelopeOf({}, ["log", { items: sent }]), NOW));
  };
  const compare = () => {
    for (const q of ["common", "-common", "common rare", "-common rare", "common -rare"]) {
      expect(q, ...q.split(" "));
    }
    expect("comm even -other", "common", "even", "-other");
    expect('level:error "even common rare"', "error", "even common rare");
    expect("-level:error common", "-error", "common");
    expect("common nothing", "nothing");
    expect('"common info"', "common info");
  };
  const expect = (q: string, ...terms: string[]) => {
    const expected = [...words].filter(([, of]) =>
      terms.every((term) => of.has(term.replace("-", "")) !== term.startsWith("-"))
    ).map(([id]) => id);
    const found: string[] = [];
    let before: string | undefined;
    do {
      const page = inbox.page("traces", { q, limit: 500, before });
      found.push(...page.rows.map(({ trace_id }) => trace_id));
      before = page.next ?? undefined;
    } while (before !== undefined);
    assert.deepEqual(found.sort(), expected.sort(), q);
  };
  await store(others);
  for (let n = 0; n < 2_400; n += 800) {
    await store(Array.from({ length: 800 }, (_, i) => logOf(n + i)));
    compare();
  }
  assert.equal(inbox.page("logs", { q: "common", limit: 1 }).rows.length, 1);
});
