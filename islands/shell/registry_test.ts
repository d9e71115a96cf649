import assert from "node:assert/strict";
import { VIEWS } from "./registry.ts";

Deno.test("views → each has an id and a key of its own", () => {
  for (const fact of ["id", "key"] as const) {
    const values = VIEWS.map((view) => view[fact]);
    assert.deepEqual(values, [...new Set(values)], fact);
  }
});
