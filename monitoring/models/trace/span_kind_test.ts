import assert from "node:assert/strict";
import type { Side } from "../side.ts";
import { isQuery, spanKind } from "./span_kind.ts";

Deno.test("operation → kind; unknown operation → by side", () => {
  const cases: readonly [op: string | null, side: Side, kind: string][] = [
    ["pageload", "browser", "navigation"],
    ["navigation", "browser", "navigation"],
    ["browser.domContentLoadedEvent", "browser", "navigation"],
    ["resource.script", "browser", "resource"],
    ["ui.long-animation-frame", "browser", "rendering"],
    ["paint", "browser", "rendering"],
    ["http.client", "browser", "HTTP"],
    ["http.client", "server", "HTTP"],
    ["http.server", "server", "server"],
    ["http", "server", "HTTP"],
    ["rpc.server", "server", "server"],
    ["middleware.express", "server", "server"],
    ["db", "server", "database"],
    ["db.sql.query", "server", "database"],
    ["cache.get", "server", "database"],
    ["gen_ai.execute_tool", "server", "AI"],
    ["ai.run.langchain", "server", "AI"],
    ["dbx", "browser", "other"],
    ["function", "browser", "other"],
    [null, "server", "server"],
    [null, "unknown", "other"],
  ];
  for (const [op, side, kind] of cases) {
    assert.equal(spanKind({ op, side }), kind, `${op}, ${side}`);
  }
});

Deno.test("connection to a database → no query; its statements and those of caches are", () => {
  const is = (name: string, op = "db") => isQuery({ name, op, side: "server" });
  // As OpenTelemetry's instrumentations of pg, redis and ioredis name them.
  const connections = ["pg-pool.connect", "pg.connect", "redis-connect", "connect"];
  assert.deepEqual(connections.filter((name) => is(name)), []);
  assert.ok(
    ["SELECT 1", "pg.query:SELECT", "connect_user", "GET connect"].every((name) => is(name)),
  );
  assert.ok(is("connect.sid", "cache.get"));
  assert.ok(!is("SELECT 1", "http.client"));
});
