import assert from "node:assert/strict";
import { sentSpans } from "./sent_span.ts";

Deno.test("spans of a transaction → the root span first, with the event's name and times", () => {
  const event = {
    transaction: "GET /cart",
    start_timestamp: 1,
    timestamp: 3,
    contexts: { trace: { span_id: "a", op: "http.server", data: { "http.route": "/cart" } } },
    spans: [{ span_id: "b", description: "SELECT", op: "db", start_timestamp: 1, timestamp: 2 }],
  };
  const [root, child] = sentSpans("transaction", event);
  assert.deepEqual(root, {
    json: event.contexts.trace,
    attributes: { "http.route": "/cart" },
    name: "GET /cart",
    op: "http.server",
    start: 1,
    end: 3,
    isSegment: true,
    transaction: event,
  });
  assert.deepEqual([child?.name, child?.op, child?.start, child?.end], ["SELECT", "db", 1, 2]);
  assert.deepEqual([child?.isSegment, child?.transaction], [false, undefined]);
});

Deno.test("streamed spans, or a single span in the older form → the same fields", () => {
  const [streamed] = sentSpans("span", {
    items: [{
      name: "GET /cart",
      start_timestamp: 1,
      end_timestamp: 2,
      is_segment: true,
      attributes: { "sentry.op": { value: "http.client", type: "string" } },
    }],
  });
  const [single] = sentSpans("span", {
    description: "GET /cart",
    start_timestamp: 1,
    timestamp: 2,
    is_segment: true,
    data: { "sentry.op": "http.client" },
  });
  for (const span of [streamed, single]) {
    assert.deepEqual([span?.name, span?.op], ["GET /cart", "http.client"]);
    assert.deepEqual([span?.start, span?.end, span?.isSegment], [1, 2, true]);
  }
});

Deno.test("hostile values → spans without fields", () => {
  const spans = sentSpans("span", { items: [null, 7, "x"] });
  assert.deepEqual(spans.map(({ name, op, start }) => [name, op, start]), [
    [undefined, null, undefined],
    [undefined, null, undefined],
    [undefined, null, undefined],
  ]);
});
