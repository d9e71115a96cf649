import assert from "node:assert/strict";
import { sharedFilters } from "./filters.ts";

const filters = (query: string) =>
  Object.entries(sharedFilters(new URLSearchParams(query)))
    .filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${value}`);

Deno.test("rows of one trace → of every application", () => {
  assert.deepEqual(filters("trace=1"), []);
  assert.deepEqual(filters("trace=1&application=apps"), ["application=apps"]);
});
