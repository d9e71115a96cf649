import assert from "node:assert/strict";
import type { LogRow, OccurrenceRow } from "../../monitoring/models/rows.ts";
import { logRow, occurrenceRow } from "../testdata/rows.ts";
import { itemsBefore } from "./SameTrace.tsx";

const AT = 1_790_000_000_000.4;
const error = (before: number, envelope: number) =>
  occurrenceRow({ envelope, at: Math.round(AT) - before });
const log = (before: number) => logRow({ at: AT - before });
const before = (errors: OccurrenceRow[], logs: LogRow[]) => itemsBefore(AT, errors, logs);

Deno.test("errors and logs of a trace → those before the error, in order of time", () => {
  const found = before([error(-20, 2), error(10, 3)], [log(11), log(5), log(-2)]);
  assert.deepEqual(found.map(({ before, what }) => [Math.round(before), what]), [
    [11, "warn"],
    [10, "PaymentError"],
    [5, "warn"],
  ]);
  assert.deepEqual(found[1]?.path, ["0a", "3"]);
});

Deno.test("another error in the same millisecond → listed; many → five", () => {
  assert.equal(before([error(0, 2)], []).length, 1);
  assert.equal(before([], Array.from({ length: 9 }, (_, n) => log(n))).length, 5);
});
