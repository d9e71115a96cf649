import assert from "node:assert/strict";
import { topicOf } from "./envelope_topic.ts";

Deno.test("metrics of statsd, which no view shows → the name and the icon of no view", () => {
  const topic = (type: string) => topicOf({ items: [{ type, bytes: 9 }], summary: undefined });
  assert.deepEqual(topic("trace_metric"), { text: "Metrics", icon: "metrics" });
  assert.deepEqual(topic("statsd"), { text: "statsd", icon: "envelopes" });
});
