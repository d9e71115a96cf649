import assert from "node:assert/strict";
import { isPreflight, isStaticResource } from "./noise.ts";

Deno.test("OPTIONS request to a server → preflight; others → not", () => {
  const isOptions = (name: string | null, op: string | null = "http.server") =>
    isPreflight({ name, op });
  assert.ok(isOptions("OPTIONS /api/cart") && isOptions("OPTIONS"));
  assert.ok(!isOptions("POST /api/OPTIONS") && !isOptions(null));
  assert.ok(!isOptions("OPTIONS /", "http.client") && !isOptions("OPTIONS /", null));
});

Deno.test("files that a page loads → static resources; requests of its code → not", () => {
  const files = ["script", "css", "img", "link", "font", "iframe", "video", "other"];
  for (const kind of files) assert.ok(isStaticResource(`resource.${kind}`), kind);
  const requests = ["fetch", "xhr", "beacon"].map((kind) => `resource.${kind}`);
  for (const op of [...requests, "http.client", "db", null]) assert.ok(!isStaticResource(op), op!);
});
