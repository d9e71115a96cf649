import assert from "node:assert/strict";
import type { LogRow, OccurrenceRow } from "../../monitoring/models/rows.ts";
import { logRow, occurrenceRow } from "../testdata/rows.ts";
import { itemsBefore } from "./before_error.ts";

const AT = 1_790_000_000_000.4;
const error = (before: number, envelope: number) =>
  occurrenceRow({ envelope, at: Math.round(AT) - before });
const log = (before: number) => logRow({ at: AT - before });
const before = (errors: OccurrenceRow[], logs: LogRow[]) =>
  itemsBefore(AT, errors, logs, ({ envelope }) => envelope === 1);

Deno.test("errors and logs of a trace → those before the error, the latest first", () => {
  const found = before([error(-20, 2), error(0, 1), error(10, 3)], [log(11), log(5), log(-2)]);
  assert.deepEqual(found.map(({ before, what }) => [Math.round(before), what]), [
    [5, "warn"],
    [10, "PaymentError"],
    [11, "warn"],
  ]);
  assert.deepEqual([found[0]?.error, found[1]?.error], [undefined, ["0a", "3"]]);
});

Deno.test("another error in the same millisecond → listed; many → five", () => {
  assert.equal(before([error(0, 1), error(0, 2)], []).length, 1);
  assert.equal(before([], Array.from({ length: 9 }, (_, n) => log(n))).length, 5);
});
