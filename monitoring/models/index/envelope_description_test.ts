import assert from "node:assert/strict";
import { envelopeOf, error, hexId, type TestItem } from "../../inbox/testdata/envelopes.ts";
import { MAX_TYPE_LENGTH } from "../../protocol/envelope.ts";
import { indexBody, MAX_TRACE_IDS, summarizeBody } from "./index_entries.ts";
import { MAX_ITEMS, parseEnvelope } from "../parsed_envelope.ts";

const describe = (bytes: Uint8Array) => indexBody([parseEnvelope(bytes)], 0).description;
/** Ids of the event, of the traces and of the recording. */
function ids(header: Record<string, unknown>, ...items: TestItem[]) {
  const { event_id, trace_ids, replay_id } = describe(envelopeOf(header, ...items));
  return [event_id, trace_ids, replay_id];
}
const encode = (value: string) => new TextEncoder().encode(value);
const event = hexId(1);
const trace = hexId(0xace);
const replay = hexId(0x4e9);
const inTrace = { trace: { trace_id: trace } };

Deno.test("event → its ids, also without an id in the header; items with their bytes", () => {
  const payload = { event_id: event, contexts: { ...inTrace, replay: { replay_id: replay } } };
  assert.deepEqual(ids({ event_id: event }, ["event", payload]), [event, [trace], replay]);
  assert.deepEqual(describe(envelopeOf({}, ["event", payload])), {
    event_id: event,
    trace_ids: [trace],
    replay_id: replay,
    items: [{ type: "event", bytes: JSON.stringify(payload).length }],
  });
});

Deno.test("feedback, user report, check-in → event id and trace id of their context", () => {
  for (const type of ["feedback", "user_report", "check_in"]) {
    const payload = { event_id: event, contexts: inTrace };
    assert.deepEqual(ids({}, [type, payload]), [event, [trace], null], type);
  }
});

Deno.test("trace context in the header → trace id and recording id", () => {
  const header = { trace: { trace_id: trace, replay_id: replay } };
  assert.deepEqual(ids(header, ["span", { items: [] }]), [null, [trace], replay]);
});

Deno.test("spans, logs, metrics, a span in the older form → distinct trace ids, recording id", () => {
  const attributes = { "sentry.replay_id": { value: replay, type: "string" } };
  const other = { trace_id: hexId(2), attributes };
  const items = [{ trace_id: trace }, other, { trace_id: trace.toUpperCase() }];
  for (const type of ["span", "log", "trace_metric"]) {
    assert.deepEqual(ids({}, [type, { items }]), [null, [trace, hexId(2)], replay], type);
  }
  assert.deepEqual(ids({}, ["span", { trace_id: trace, op: "ui" }]), [null, [trace], null]);
});

Deno.test("recording segment → recording id and its trace ids", () => {
  const segment = { event_id: event, replay_id: replay, trace_ids: [trace, hexId(2)] };
  const bytes = new Uint8Array([123, 125, 10, 0x78, 0x9c, 0, 255]);
  const recording = ids({ event_id: event }, ["replay_event", segment], [
    "replay_recording",
    bytes,
  ]);
  assert.deepEqual(recording, [event, [trace, hexId(2)], replay]);
});

Deno.test("ids → lower case without dashes; invalid or inherited → none", () => {
  const id = (event_id: unknown) => ids({ event_id }, ["session", {}])[0];
  assert.equal(id("ABCDEF0123456789ABCDEF0123456789"), "abcdef0123456789abcdef0123456789");
  assert.equal(id("abcdef01-2345-6789-abcd-ef0123456789"), "abcdef0123456789abcdef0123456789");
  const odd = ["", "abc", "0".repeat(32), "g".repeat(32), "a".repeat(33), `${"a".repeat(32)}\n`];
  for (const value of [...odd, 5, null, [event], { toString: "x" }]) {
    assert.equal(id(value), null, JSON.stringify(value));
  }
  assert.equal(ids({}, ["event", encode(`{"__proto__":{"event_id":"${event}"}}`)])[0], null);
});

Deno.test("unreadable item → listed, other items read", () => {
  const described = describe(
    envelopeOf(
      {},
      ["event", encode("{not json")],
      ["log", { items: [null, 5, "x", { trace_id: {} }, { trace_id: trace }] }],
      ["log", encode("[".repeat(1_000_000))],
      ["span", [[[]]]],
      ["constructor", { trace_id: hexId(7) }],
      ["event", { contexts: { trace: null }, tags: "no" }],
    ),
  );
  assert.deepEqual(described.trace_ids, [trace]);
  assert.equal(described.items.length, 6);
  assert.equal(described.items[2]?.bytes, 1_000_000);
});

Deno.test("huge numbers of traces, items and types, control characters → bounded row", () => {
  const entries = Array.from({ length: 10_000 }, (_, n) => ({ trace_id: hexId(n) }));
  const many = Array.from({ length: 5_000 }, () => ["x".repeat(1_000), {}] as const);
  const described = describe(envelopeOf({}, ["span", { items: entries }], ...many));
  assert.equal(described.trace_ids.length, MAX_TRACE_IDS);
  assert.equal(described.items.length, MAX_ITEMS);
  assert.equal(described.items[1]?.type.length, MAX_TYPE_LENGTH);
  const [item] = describe(envelopeOf({}, ["a\u0000b\ud800\n", {}])).items;
  assert.equal(item?.type, "a\ufffdb\ufffd\ufffd");
});

Deno.test("more than the lists take → what is in no list is counted in the summary", () => {
  const summary = (...items: Parameters<typeof envelopeOf>[1][]) =>
    summarizeBody(indexBody([parseEnvelope(envelopeOf({}, ...items))], 0));
  const entries = <T>(count: number, entry: (n: number) => T) =>
    Array.from({ length: count }, (_, n) => entry(n));
  assert.equal(summary(...entries(256, (n) => error(`no. ${n}`))).unlisted, 0);
  assert.equal(summary(...entries(1_000, (n) => error(`no. ${n}`))).unlisted, 744);
  const logs = entries(1_002, (n) => ({ body: `no. ${n}` }));
  assert.equal(summary(["log", { items: logs }]).unlisted, 0);
  const spans = entries(10_003, (n) => ({ trace_id: n === 0 ? "" : hexId(n) }));
  assert.equal(summary(["span", { items: spans }]).unlisted, 3 + 1);
  const discarded_events = entries(2_000, (quantity) => ({
    ...{ category: "error", reason: "network_error", quantity },
  }));
  assert.equal(summary(["client_report", { discarded_events }]).unlisted, 1);
});

Deno.test("item that should make a row and makes none → counted", () => {
  const unlisted = (...items: TestItem[]) => {
    const header = { event_id: event, sent_at: new Date(0).toISOString() };
    return indexBody([parseEnvelope(envelopeOf(header, ...items))], 0).unlisted;
  };
  const segment = encode('{"segment_id":0}\n[]');
  const broken = encode("{broken json");
  assert.equal(unlisted(["event", broken], ["transaction", []]), 2);
  assert.equal(
    unlisted(["log", broken], ["log", {}], ["trace_metric", []], ["session", broken]),
    4,
  );
  assert.equal(unlisted(["raw_security", {}]), 1);
  assert.equal(unlisted(["replay_event", {}]), 1);
  assert.equal(unlisted(["replay_event", broken], ["replay_recording", segment]), 0);
  assert.equal(unlisted(["replay_event", {}], ["replay_recording", encode("")]), 0);
  const listed: TestItem[] = [["event", {}], ["feedback", {}], ["user_report", {}]];
  assert.equal(unlisted(...listed, ["log", { items: [] }], ["statsd", broken]), 0);
});

Deno.test("not an envelope → empty description", () => {
  const nothing = { event_id: null, trace_ids: [], replay_id: null, items: [] };
  for (const text of ["", "nonsense", '{}\n{"length":3}\nabc']) {
    assert.deepEqual(describe(encode(text)), nothing);
  }
});
