import assert from "node:assert/strict";
import { isPreflight, isStaticResource } from "./noise.ts";

Deno.test("OPTIONS request to a server → preflight; others → not", () => {
  const server = { op: "http.server", name: "OPTIONS /api/cart" };
  assert.equal(isPreflight(server), true);
  assert.equal(isPreflight({ ...server, name: "OPTIONS" }), true);
  assert.equal(isPreflight({ ...server, name: "POST /api/OPTIONS" }), false);
  assert.equal(isPreflight({ ...server, name: null }), false);
  assert.equal(isPreflight({ ...server, op: "http.client" }), false);
  assert.equal(isPreflight({ ...server, op: null }), false);
});

Deno.test("files that a page loads → static resources; requests of its code → not", () => {
  const files = ["script", "css", "img", "link", "font", "iframe", "video", "other"];
  for (const kind of files) assert.equal(isStaticResource(`resource.${kind}`), true, kind);
  for (
    const op of ["resource.fetch", "resource.xhr", "resource.beacon", "http.client", "db", null]
  ) {
    assert.equal(isStaticResource(op), false, String(op));
  }
});
