import assert from "node:assert/strict";
import { routeName } from "./route_name.ts";

Deno.test("a page load is named by its route; unknown paths are one route", () => {
  assert.equal(routeName("/"), "/");
  assert.equal(routeName("/people/ann"), "/*");
});
