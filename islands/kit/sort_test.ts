import assert from "node:assert/strict";
import { GROUP_COLUMNS, TRACE_COLUMNS } from "../../monitoring/models/list_query.ts";
import { sortParam } from "./sort.ts";

const param = (sort: string, columns: Parameters<typeof sortParam>[1] = TRACE_COLUMNS) =>
  sortParam(new URLSearchParams({ sort }), columns);

Deno.test("sort in the address → only by a column of the list", () => {
  assert.equal(param("-duration"), "-duration");
  assert.equal(param("slowest"), "slowest");
  for (const other of ["frequent", "count", "x", "--spans", ""]) {
    assert.equal(param(other), undefined);
  }
  assert.equal(param("frequent", GROUP_COLUMNS), "frequent");
});
