import assert from "node:assert/strict";
import { shortId } from "./short_id.ts";

Deno.test("an id is cut to its first eight characters, hyphens aside", () => {
  assert.equal(shortId("4bf92f3577b34da6a3ce929d0e0e4736"), "4bf92f35");
  assert.equal(shortId("4bf92-f35-77b34da6"), "4bf92f35");
  assert.equal(shortId("abc"), "abc");
  assert.equal(shortId(""), "");
});
