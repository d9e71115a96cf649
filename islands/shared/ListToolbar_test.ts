import assert from "node:assert/strict";
import { countFilters } from "./ListToolbar.tsx";

Deno.test("parameters of an address → number of filters, a time range is one", () => {
  const count = (query: string) => countFilters(new URLSearchParams(query));
  assert.equal(count(""), 0);
  assert.equal(count("q=text&sort=slowest&trace=0123"), 0);
  assert.equal(count("source=all&since=1&until=2&level=error"), 3);
});
