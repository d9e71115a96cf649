import assert from "node:assert/strict";
import { nameOf, operationOf, type OtlpKind } from "./span_operation.ts";

Deno.test("kind and semantic conventions, current and earlier → operations of Sentry's SDKs", () => {
  const cases: readonly (readonly [OtlpKind, Record<string, unknown>, string | null])[] = [
    ["server", { "http.request.method": "GET" }, "http.server"],
    ["server", { "http.method": "OPTIONS", "faas.trigger": "http" }, "http.server"],
    ["client", { "http.request.method": "GET", "url.full": "https://a.test/" }, "http.client"],
    ["client", { "http.method": "POST" }, "http.client"],
    ["internal", { "http.method": "POST" }, "http"],
    ["client", { "db.system.name": "postgresql", "http.method": "POST" }, "db"],
    ["internal", { "db.system": "redis" }, "db"],
    ["server", { "rpc.system": "grpc" }, "rpc.server"],
    ["client", { "rpc.system": "grpc" }, "rpc.client"],
    [
      "producer",
      { "messaging.system": "kafka", "messaging.operation.type": "send" },
      "queue.publish",
    ],
    [
      "consumer",
      { "messaging.system": "kafka", "messaging.operation": "deliver" },
      "queue.process",
    ],
    [
      "client",
      { "messaging.system": "sqs", "messaging.operation.type": "receive" },
      "queue.receive",
    ],
    ["consumer", { "messaging.operation": "__proto__" }, "queue.process"],
    ["server", { "faas.trigger": "timer" }, "function"],
    ["client", { "gen_ai.operation.name": "chat" }, "gen_ai.chat"],
    ["client", { "gen_ai.system": "openai" }, "gen_ai"],
    ["client", { "sentry.op": "cache.get", "db.system": "redis" }, "cache.get"],
    ["internal", {}, null],
    ["server", {}, null],
    ["client", { "http.method": 5, "db.system": ["x"] }, null],
  ];
  for (const [kind, attributes, op] of cases) {
    assert.equal(operationOf({ name: "n", kind, attributes }), op, JSON.stringify(attributes));
  }
  assert.equal(operationOf({ name: "GET /a", kind: "server", attributes: {} }), "http.server");
  assert.equal(operationOf({ name: "GET /a", kind: "client", attributes: {} }), null);
});

Deno.test("`HTTP GET` of Go → `GET`", () => {
  assert.equal(nameOf("HTTP GET", "http.client"), "GET");
  assert.equal(nameOf("HTTP works", null), "HTTP works");
});
