import assert from "node:assert/strict";
import { sharedFilters } from "./filters.ts";

const filters = (query: string) =>
  Object.entries(sharedFilters(new URLSearchParams(query)))
    .filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${value}`);

Deno.test("address without a source → applications; all → no filter", () => {
  assert.deepEqual(filters(""), ["source=apps"]);
  assert.deepEqual(filters("source="), ["source=apps"]);
  assert.deepEqual(filters("source=all&since=10m"), ["since=10m"]);
  assert.deepEqual(filters("source=sightglass&release=a&until=5&q=x"), [
    "source=sightglass",
    "release=a",
    "until=5",
  ]);
});

Deno.test("rows of one trace → of every source", () => {
  assert.deepEqual(filters("trace=1"), []);
  assert.deepEqual(filters("trace=1&source=apps"), ["source=apps"]);
});
