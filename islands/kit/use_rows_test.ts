import assert from "node:assert/strict";
import { inPlace } from "./use_rows.tsx";

Deno.test("scrolled down → rows keep places, older are added, newer and those left are not shown", () => {
  const rowsOf = (text: string) => text.split(" ").map((key) => ({ key, count: 1 }));
  const again = { key: "c", count: 2 };
  const read = [...rowsOf("x"), again, ...rowsOf("a y d"), ...rowsOf("e f")];
  const rows = inPlace(rowsOf("a b c d"), read, ({ key }) => key);
  assert.equal(rows.map(({ key }) => key).join(" "), "a c d e f");
  assert.equal(rows[1], again);
  assert.deepEqual(inPlace(rowsOf("a"), rowsOf("x y"), ({ key }) => key), rowsOf("x y"));
});
