import assert from "node:assert/strict";
import fc from "fast-check";
import { envelopeOf, hexId } from "../../inbox/testdata/envelopes.ts";
import { indexEnvelope, MAX_TRACES, MAX_TYPE_LENGTH } from "./index_entries.ts";
import { MAX_ITEMS, MAX_PARSED_BYTES, parseEnvelope, parseItems } from "../parsed_envelope.ts";

const describe = (bytes: Uint8Array) => indexEnvelope(parseEnvelope(bytes), 0).description;

const text = (value: string) => new TextEncoder().encode(value);
const trace = hexId(0xace);
const replay = hexId(0x4e9);

Deno.test("error event → event id, trace id, recording id", () => {
  const event = {
    event_id: hexId(1),
    contexts: { trace: { trace_id: trace }, replay: { replay_id: replay } },
  };
  const described = describe(envelopeOf({ event_id: hexId(1) }, ["event", event]));
  assert.deepEqual(described, {
    event_id: hexId(1),
    trace_ids: [trace],
    replay_id: replay,
    items: [{ type: "event", bytes: JSON.stringify(event).length }],
  });
});

Deno.test("trace context in the header → trace id and recording id", () => {
  const described = describe(
    envelopeOf({ trace: { trace_id: trace, replay_id: replay } }, ["span", { items: [] }]),
  );
  assert.deepEqual(described.trace_ids, [trace]);
  assert.equal(described.replay_id, replay);
  assert.equal(described.event_id, null);
});

Deno.test("items with spans, logs or metrics → distinct trace ids", () => {
  for (const type of ["span", "log", "trace_metric"]) {
    const items = [
      { trace_id: trace },
      {
        trace_id: hexId(2),
        attributes: { "sentry.replay_id": { value: replay, type: "string" } },
      },
      { trace_id: trace.toUpperCase() },
    ];
    const described = describe(envelopeOf({}, [type, { version: 2, items }]));
    assert.deepEqual(described.trace_ids, [trace, hexId(2)], type);
    assert.equal(described.replay_id, replay, type);
  }
});

Deno.test("single span (older form) → trace id", () => {
  const described = describe(envelopeOf({}, ["span", { trace_id: trace, op: "ui" }]));
  assert.deepEqual(described.trace_ids, [trace]);
});

Deno.test("feedback, user report, check-in → event id and trace id of their context", () => {
  for (const type of ["feedback", "user_report", "check_in"]) {
    const payload = { event_id: hexId(7), contexts: { trace: { trace_id: trace } } };
    const { event_id, trace_ids } = describe(envelopeOf({}, [type, payload]));
    assert.deepEqual([event_id, trace_ids], [hexId(7), [trace]], type);
  }
});

Deno.test("recording segment → recording id and its trace ids", () => {
  const segment = { event_id: hexId(5), replay_id: replay, trace_ids: [trace, hexId(2)] };
  const described = describe(
    envelopeOf(
      { event_id: hexId(5) },
      ["replay_event", segment],
      ["replay_recording", new Uint8Array([123, 125, 10, 0x78, 0x9c, 0, 255])],
    ),
  );
  assert.equal(described.replay_id, replay);
  assert.deepEqual(described.trace_ids, [trace, hexId(2)]);
  assert.deepEqual(described.items.map((item) => item.type), ["replay_event", "replay_recording"]);
});

Deno.test("ids → lower case without dashes; invalid → none", () => {
  const id = (event_id: unknown) => describe(envelopeOf({ event_id }, ["session", {}])).event_id;
  assert.equal(id("ABCDEF0123456789ABCDEF0123456789"), "abcdef0123456789abcdef0123456789");
  assert.equal(id("abcdef01-2345-6789-abcd-ef0123456789"), "abcdef0123456789abcdef0123456789");
  const odd = ["", "abc", "0".repeat(32), "g".repeat(32), "a".repeat(33), `${"a".repeat(32)}\n`];
  for (const value of [...odd, 5, null, [hexId(1)], { toString: "x" }]) {
    assert.equal(id(value), null, JSON.stringify(value));
  }
});

Deno.test("header without event id → id of the event", () => {
  const described = describe(envelopeOf({}, ["event", { event_id: hexId(9) }]));
  assert.equal(described.event_id, hexId(9));
});

Deno.test("unreadable item → listed, other items read", () => {
  const nested = text("[".repeat(1_000_000));
  const described = describe(
    envelopeOf(
      {},
      ["event", text("{not json")],
      ["log", { items: [null, 5, "x", { trace_id: {} }, { trace_id: trace }] }],
      ["log", nested],
      ["span", [[[]]]],
      ["constructor", { trace_id: hexId(7) }],
      ["event", { contexts: { trace: null }, tags: "no" }],
    ),
  );
  assert.deepEqual(described.trace_ids, [trace]);
  assert.equal(described.items.length, 6);
  assert.equal(described.items[2]?.bytes, 1_000_000);
});

Deno.test("inherited property → ignored", () => {
  const described = describe(
    envelopeOf({}, ["event", text(`{"__proto__":{"event_id":"${hexId(3)}"}}`)]),
  );
  assert.equal(described.event_id, null);
});

Deno.test("payload over the limit → listed, not parsed; message of 1 MiB → parsed", () => {
  const event = (bytes: number) => ({
    message: "m".repeat(bytes),
    contexts: { trace: { trace_id: trace } },
  });
  const large = describe(envelopeOf({}, ["event", event(1024 * 1024)]));
  assert.deepEqual(large.trace_ids, [trace]);
  const huge = describe(envelopeOf({}, ["event", event(MAX_PARSED_BYTES)]));
  assert.deepEqual(huge.trace_ids, []);
  assert.equal(huge.items.length, 1);
});

Deno.test("huge numbers of traces, items and types → bounded row", () => {
  const entries = Array.from({ length: 10_000 }, (_, n) => ({ trace_id: hexId(n) }));
  const many = Array.from({ length: 5_000 }, () => ["x".repeat(1_000), {}] as const);
  const described = describe(envelopeOf({}, ["span", { items: entries }], ...many));
  assert.equal(described.trace_ids.length, MAX_TRACES);
  assert.equal(described.items.length, MAX_ITEMS);
  assert.equal(described.items[1]?.type.length, MAX_TYPE_LENGTH);
});

Deno.test("control characters and lone surrogates in types → replaced", () => {
  const parsed = parseItems({}, [{ type: "a\u0000b\ud800\n", bytes: 0 }]);
  const { items } = indexEnvelope(parsed, 0).description;
  assert.equal(items[0]?.type, "a\ufffdb\ufffd\ufffd");
});

Deno.test("not an envelope → empty description", () => {
  for (const bytes of [new Uint8Array(), text("nonsense"), text('{}\n{"length":3}\nabc')]) {
    assert.deepEqual(describe(bytes), {
      event_id: null,
      trace_ids: [],
      replay_id: null,
      items: [],
    });
  }
});

Deno.test("any bytes and payloads → never throws", () => {
  const types = fc.constantFrom("event", "transaction", "span", "log", "replay_event", "feedback");
  const payload = fc.oneof(
    fc.json().map(text),
    fc.uint8Array(),
    fc.record({
      contexts: fc.anything(),
      trace_ids: fc.anything(),
      items: fc.oneof(fc.anything(), fc.array(fc.record({ trace_id: fc.anything() }))),
    }, { requiredKeys: [] }).map((value) => text(stringify(value))),
  );
  fc.assert(fc.property(
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.array(fc.tuple(types, payload)),
    (header, items) => {
      const described = describe(envelopeOf(header, ...items));
      assert.equal(described.items.length, items.length);
      for (const id of described.trace_ids) assert.match(id, /^[\da-f]{32}$/);
    },
  ));
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void describe(bytes)));
});

/** `JSON.stringify` for values that it refuses or leaves out. */
function stringify(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    // A BigInt or a cycle: no JSON that anyone could send.
    return "null";
  }
}
