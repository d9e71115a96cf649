import assert from "node:assert/strict";
import { sortParam, wordsOf } from "./sort.ts";

const param = (sort: string, list: Parameters<typeof sortParam>[1] = "traces") =>
  sortParam(new URLSearchParams({ sort }), list);

Deno.test("sort in the address → only by a column of the list", () => {
  assert.equal(param("-duration"), "-duration");
  assert.equal(param("slowest"), "slowest");
  for (const other of ["frequent", "count", "x", "--spans", ""]) {
    assert.equal(param(other), undefined);
  }
  assert.equal(param("frequent", "errors"), "frequent");
});

Deno.test("order in force → words for the rows that are read and those that follow", () => {
  const words = ([undefined, "-last_seen", "first_seen", "slowest", "-count", "lcp"] as const)
    .map((sort) => Object.values(wordsOf(sort)).join(", "));
  const [byTime, byValue] = ["newest, Older", "first, More"];
  assert.deepEqual(words, [byTime, byTime, "oldest, Newer", byValue, byValue, byValue]);
});
