import assert from "node:assert/strict";
import { displayName, nameWithMethod } from "./trace_name.ts";

Deno.test("page load, navigation, other operation → displayed with what it is", () => {
  const names = ["pageload", "navigation", "http.server", null].map((op) =>
    displayName({ name: "/cart", op })
  );
  assert.deepEqual(names, ["Page load /cart", "Navigation to /cart", "/cart", "/cart"]);
  assert.equal(displayName({ name: "Pageload", op: "pageload" }), "Page load");
});

Deno.test("request without its method in the name → method from attributes or the event", () => {
  const name = (name: string, span: unknown, request?: unknown) =>
    nameWithMethod(name, "http.server", span, request);
  assert.equal(name("/cart", { data: { "http.request.method": "POST" } }), "POST /cart");
  assert.equal(name("cart", { data: { "http.method": "GET" } }), "GET cart");
  assert.equal(
    name("/cart", { attributes: { "http.request.method": { value: "PUT", type: "string" } } }),
    "PUT /cart",
  );
  assert.equal(name("/cart", {}, { method: "DELETE" }), "DELETE /cart");
});

Deno.test("name with a method, no or hostile method, other operation → name as sent", () => {
  const post = { data: { "http.request.method": "POST" } };
  assert.equal(nameWithMethod("GET /cart", "http.server", post), "GET /cart");
  assert.equal(nameWithMethod("/cart", "http.server", {}), "/cart");
  for (const method of [7, {}, "<b>", "X".repeat(99)]) {
    assert.equal(nameWithMethod("/", "http.server", {}, { method }), "/");
  }
  assert.equal(nameWithMethod("/cart", "http.client", post), "/cart");
});
