import assert from "node:assert/strict";
import { isPreflight, isStaticResource } from "./noise.ts";

/** The first spans of preflights as SDKs send them, and spans that are none. */
const PREFLIGHTS: readonly (readonly [op: string | null, name: string, method?: string])[] = [
  ["http.server", "OPTIONS /api/cart", "OPTIONS"],
  ["http.server", "/api/cart", "OPTIONS"],
  // `@sentry/node` 10 and 11 with Fastify, 10 with Express: the method of `request`.
  ["request_handler.fastify", "OPTIONS /api/cart", "OPTIONS"],
  ["handler", "/api/cart", "OPTIONS"],
  ["middleware.express", "<anonymous>", "OPTIONS"],
  [null, "/api/cart", "OPTIONS"],
  // Without an attribute.
  ["http.server", "OPTIONS"],
];
const OTHERS: typeof PREFLIGHTS = [
  ["http.server", "OPTIONS /api/cart", "GET"],
  ["http.server", "POST /api/OPTIONS"],
  ["http.client", "OPTIONS /api/cart", "OPTIONS"],
  ["resource.fetch", "/api/cart", "OPTIONS"],
  [null, "OPTIONS /"],
];

Deno.test("span that answered OPTIONS, by its method → preflight; others → not", () => {
  const isOptions = ([op, name, method]: typeof PREFLIGHTS[number]) =>
    isPreflight({ op, name, method });
  assert.deepEqual(PREFLIGHTS.filter((span) => !isOptions(span)), []);
  assert.deepEqual(OTHERS.filter(isOptions), []);
});

Deno.test("files that a page loads → static resources; requests of its code → not", () => {
  const files = ["script", "css", "img", "link", "font", "iframe", "video", "other"];
  for (const kind of files) assert.ok(isStaticResource(`resource.${kind}`), kind);
  const requests = ["fetch", "xhr", "beacon"].map((kind) => `resource.${kind}`);
  for (const op of [...requests, "http.client", "db", null]) assert.ok(!isStaticResource(op), op!);
});
