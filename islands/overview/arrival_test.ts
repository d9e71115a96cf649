import assert from "node:assert/strict";
import { envelopeOf, type TestItem } from "../../monitoring/inbox/testdata/envelopes.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { describeArrival } from "./arrival.ts";

const EVENT = "a".repeat(32);
const TRACE = "b".repeat(32);
const NODE = { name: "sentry.javascript.node", version: "10.2.0" };

function describe(header: Record<string, unknown>, ...items: readonly TestItem[]) {
  const row: InboxRow = {
    id: 7,
    received_at: 1_000,
    event_id: null,
    trace_ids: [],
    replay_id: null,
    bytes: 1,
    content_encoding: null,
    items: items.map(([type]) => ({ type, bytes: 1 })),
    source: "0123456789abcd",
  };
  const { what, sender, href, at } = describeArrival(row, envelopeOf(header, ...items));
  assert.equal(at, 1_000);
  return `${what} from ${sender}: ${href}`;
}

Deno.test("error → application, SDK and version, and the error's own address", () => {
  const release = "my-app@1.0.0";
  const event = { event_id: EVENT, release, exception: { values: [{ type: "TypeError" }] } };
  assert.equal(
    describe({ sdk: NODE }, ["event", event]),
    `error from my-app, @sentry/node 10.2.0: #/errors/${EVENT}/7`,
  );
});

Deno.test("message of an SDK that names itself in the event → its name once", () => {
  const event = {
    event_id: EVENT,
    message: "Hello",
    sdk: { name: "sentry.python", version: "2.35.0" },
  };
  assert.equal(
    describe({}, ["event", event]),
    `message from sentry.python 2.35.0: #/errors/${EVENT}/7`,
  );
});

Deno.test("transaction → trace; log and session → their envelope", () => {
  const transaction = {
    type: "transaction",
    start_timestamp: 1,
    timestamp: 2,
    contexts: { trace: { trace_id: TRACE, span_id: "c".repeat(16) } },
  };
  assert.equal(
    describe({ sdk: NODE }, ["transaction", transaction]),
    `trace from @sentry/node 10.2.0: #/traces/${TRACE}`,
  );
  const log = { body: "hi", level: "info", timestamp: 1, trace_id: TRACE };
  assert.match(describe({ sdk: NODE }, ["log", { items: [log] }]), /^log .*: #\/envelopes\/7$/);
  assert.match(describe({ sdk: NODE }, ["session", {}]), /^session .*: #\/envelopes\/7$/);
});

Deno.test("nothing known of the sender, or texts of wrong types → still a sentence", () => {
  assert.equal(describe({}), "envelope from an unnamed application: #/envelopes/7");
  assert.match(
    describe({ sdk: { name: ["x"], version: {} } }, ["event", [1]]),
    /^error from an unnamed application: /,
  );
});
