import assert from "node:assert/strict";
import { GROUP_COLUMNS, TRACE_COLUMNS } from "../../monitoring/models/list_query.ts";
import { newestFirst, sortParam } from "./sort.ts";

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

Deno.test("rows without an order → by their time, newest first; with one → as they came", () => {
  const rows = [{ n: 1, at: 5 }, { n: 2, at: 9 }, { n: 3, at: 5 }];
  const order = (sort?: "-spans") => newestFirst(rows, sort, ({ at }) => at).map(({ n }) => n);
  assert.deepEqual(order(), [2, 1, 3]);
  assert.deepEqual(order("-spans"), [1, 2, 3]);
});
