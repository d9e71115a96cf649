import assert from "node:assert/strict";
import { inPlace, reuseElements } from "./use_rows.tsx";

Deno.test("scrolled down → rows keep places, older are added, newer and those left are not shown", () => {
  const rowsOf = (text: string) => text.split(" ").map((key) => ({ key, count: 1 }));
  const again = { key: "c", count: 2 };
  const read = [...rowsOf("x"), again, ...rowsOf("a y d"), ...rowsOf("e f")];
  const rows = inPlace(rowsOf("a b c d"), read, ({ key }) => key);
  assert.equal(rows.map(({ key }) => key).join(" "), "a c d e f");
  assert.equal(rows[1], again);
  assert.deepEqual(inPlace(rowsOf("a"), rowsOf("x y"), ({ key }) => key), rowsOf("x y"));
});

Deno.test("rows change → those that stay keep their elements, none moves past the active row's", () => {
  const of = (keys: string, last = new Map<string, number>()) =>
    new Map(reuseElements(last, keys.split(""), "f"));
  const first = of("fghi");
  assert.equal([...first.values()].join(""), "1234");
  assert.equal([...of("fhijk", first).values()].join(""), "13425");
  const below = of("fxyz", first);
  assert.equal([...below.values()].join(""), "1234");
  assert.equal([...of("abcf", below).values()].join(""), "5671");
});
