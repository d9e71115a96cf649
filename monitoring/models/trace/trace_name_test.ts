import assert from "node:assert/strict";
import {
  displayName,
  isPreflight,
  isStaticResource,
  servedHost,
  spanName,
  traceName,
  withoutOwnHost,
} from "./trace_name.ts";

Deno.test("page load, navigation, other operation → displayed with what it is", () => {
  const names = ["pageload", "navigation", "http.server", null].map((op) =>
    displayName({ name: "/cart", op })
  );
  assert.deepEqual(names, ["Page load /cart", "Navigation to /cart", "/cart", "/cart"]);
  assert.equal(displayName({ name: "Pageload", op: "pageload" }), "Page load");
});

Deno.test("name of a server's span → with the method from attributes or the event", () => {
  const name = (sent: string, attributes: unknown, request?: unknown) =>
    spanName(sent, "http.server", attributes, request);
  const post = { "http.request.method": "POST" };
  assert.equal(name("/cart", post), "POST /cart");
  assert.equal(name("cart", { "http.method": "GET" }), "GET cart");
  assert.equal(
    name("/cart", { "http.request.method": { value: "PUT", type: "string" } }),
    "PUT /cart",
  );
  assert.equal(name("/cart", {}, { method: "DELETE" }), "DELETE /cart");
  assert.equal(name("GET /cart", post), "GET /cart", "it has one");
  assert.equal(name("/cart", {}), "/cart", "none was sent");
  for (const method of [7, {}, "<b>", "X".repeat(99)]) assert.equal(name("/", {}, { method }), "/");
  assert.equal(spanName("/cart", "http.client", post), "/cart", "another operation");
});

Deno.test("route of a framework's span, without a server's span around it → with its method", () => {
  const options = { "http.request.method": "OPTIONS", "http.route": "/cart" };
  assert.equal(spanName("/cart", "handler", streamed(options)), "OPTIONS /cart");
  assert.equal(spanName("*", "handler", streamed(options)), "OPTIONS *");
  assert.equal(spanName("OPTIONS /cart", "request_handler.fastify", options), "OPTIONS /cart");
  const request = { method: "OPTIONS", url: "http://127.0.0.1:1/cart?id=7" };
  for (const name of ["<anonymous>", "< unknown >"]) {
    assert.equal(spanName(name, "middleware.express", {}, request), "OPTIONS /cart");
  }
  assert.equal(spanName("cors", "middleware.express", {}, request), "cors");
});

Deno.test("middleware without a name, in a request → not named for the request", () => {
  const sent = streamed({ "express.type": "middleware", "sentry.segment.name": "GET /api/shows" });
  assert.equal(spanName("<anonymous>", "middleware", sent), "<anonymous>");
  assert.equal(spanName("<anonymous>", "middleware.express", { "http.route": "/" }), "<anonymous>");
});

/** As `@sentry/node` and `@sentry/browser` 11 stream them. */
const streamed = (values: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, { value, type: typeof value }]),
  );

Deno.test("constant name, address in attributes → route or path instead", () => {
  const at = (path: string) => ({
    "url.full": `http://127.0.0.1:8080${path}`,
    "url.domain": "127.0.0.1",
    "server.address": "127.0.0.1:8080",
  });
  const cart = streamed({ ...at("/api/cart?cart=1#top"), "http.request.method": "GET" });
  const names: readonly [string, string, unknown, string][] = [
    ["GET", "http.server", streamed({ ...at("/x"), "url.path": "/api/cart" }), "GET /api/cart"],
    ["GET", "http.server", streamed({ "url.path": "/a/7", "http.route": "/a/:id" }), "GET /a/:id"],
    ["GET", "http.server", { "http.target": "/old?q=1" }, "GET /old"],
    ["Pageload", "pageload", streamed(at("/?cart=1")), "/"],
    ["Navigation", "navigation", streamed({ "url.path": "/cart" }), "/cart"],
    ["GET 127.0.0.1", "http.client", cart, "GET 127.0.0.1:8080/api/cart"],
    ["127.0.0.1", "http.client", cart, "GET 127.0.0.1:8080/api/cart"],
    ["127.0.0.1", "resource.script", streamed(at("/shop.js")), "127.0.0.1:8080/shop.js"],
    [
      "127.0.0.1",
      "resource.script",
      streamed({ ...at("/shop.js"), "http.request.same_origin": true }),
      "/shop.js",
    ],
  ];
  for (const [sent, op, attributes, name] of names) {
    assert.equal(spanName(sent, op, attributes), name);
  }
  assert.equal(
    spanName("GET", "http.server", {}, { url: "http://shop/cart?id=7", method: "GET" }),
    "GET /cart",
  );
});

Deno.test("name with a route or an address → kept, without scheme, query and fragment", () => {
  const path = streamed({ "url.path": "/a/7", "http.request.method": "GET" });
  assert.equal(spanName("GET /a/:id", "http.server", path), "GET /a/:id");
  assert.equal(spanName("/a/:id", "pageload", path), "/a/:id");
  assert.equal(spanName("/#/cart", "pageload", path), "/#/cart");
  assert.equal(spanName("POST https://b.example/x?y#z", "http.client", {}), "POST b.example/x");
  assert.equal(spanName("https://cdn.example/a.js?v=1", "resource.script", {}), "cdn.example/a.js");
  assert.equal(spanName("GET /cart?id=7", "http.client", {}), "GET /cart");
  assert.equal(spanName("GET", "db", path), "GET");
});

Deno.test("query → named by its statement, whatever its summary", () => {
  const summary = { "db.query.summary": "select stock" };
  const text = streamed({ ...summary, "db.query.text": "select 1" });
  assert.equal(spanName("select stock", "db", text), "select 1");
  assert.equal(spanName("SELECT shop", "db.query", { "db.statement": "SELECT 2" }), "SELECT 2");
  assert.equal(spanName("select stock", "db", summary), "select stock");
  assert.equal(spanName("key", "cache.get", { "db.statement": "get key" }), "key");
  assert.equal(spanName("x", "db", { "db.statement": "x".repeat(2_000) }).length, 1_000);
});

Deno.test("constant name, no or hostile address → name as sent", () => {
  for (const url of [7, "", "data:text/html,x", "http://", "https://[", { value: {} }]) {
    const attributes = { "url.full": url };
    assert.equal(spanName("Pageload", "pageload", attributes), "Pageload");
    assert.equal(spanName("GET", "http.server", attributes), "GET");
  }
  const long = { data: { "url.full": `http://a/${"x".repeat(9_999)}` } };
  assert.ok(spanName("GET", "http.server", long).length <= 210);
});

Deno.test("request to a host that the trace's own page or server has → name without it", () => {
  const page = { op: "pageload", attributes: { "url.full": { value: "http://a:1/x" } } };
  assert.equal(servedHost(page), "a:1");
  assert.equal(servedHost({ ...page, op: "http.client" }), undefined);
  const hosts = new Set(["a:1"]);
  const name = (name: string, op = "http.client") => withoutOwnHost({ name, op }, hosts);
  assert.equal(name("GET a:1/cart"), "GET /cart");
  assert.equal(name("a:1/shop.js", "resource.script"), "/shop.js");
  assert.equal(name("GET a:2/cart"), "GET a:2/cart");
  assert.equal(name("GET a:1/cart", "db"), "GET a:1/cart");
});

Deno.test("name that means nothing, or a CSS selector → route, address or operation as headline", () => {
  const route = { "http.route": "/cart/:id" };
  assert.equal(spanName("<unknown>", "function", route), "/cart/:id");
  assert.equal(spanName("request", "middleware", {}), "middleware");
  assert.equal(spanName("request", null, {}), "request");
  const click = { name: "body > button#pay", op: "ui.interaction.click" };
  assert.equal(traceName({ ...click, attributes: { transaction: "/cart" } }), "/cart");
  assert.equal(traceName({ ...click, attributes: {} }), "ui.interaction.click");
  assert.equal(traceName({ name: "checkout", op: "ui.action", attributes: route }), "checkout");
});

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
