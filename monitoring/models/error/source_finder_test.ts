import assert from "node:assert/strict";
import * as esbuild from "esbuild";
import { minify } from "../../inbox/testdata/minify.ts";
import { createSourceFinder } from "./source_finder.ts";
import { readStack } from "./stack.ts";

const ID = "00000000-0000-8000-8000-00000000000a";
const SOURCE = `interface Basket { readonly items: readonly string[] }

/** Places an order. */
export function placeOrder(basket: Basket): void {
  const check = (count: number) => {
    if (count === 0) throw new Error("the basket is empty");
  };
  check(1);
  check(basket.items.length);
}

export const inBackground = async (basket: Basket) => {
  await Promise.resolve();
  placeOrder(basket);
};
`;

/** Minifies and runs the source. Returns the stack trace of its error, and the source map. */
async function minified() {
  const { script, map } = await minify(SOURCE, "../../shop/order.ts");
  await esbuild.stop();
  const { inBackground } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
  const error: Error = await inBackground({ items: [] }).catch((error: Error) => error);
  const frames = [...error.stack!.matchAll(/at (?:(.*) \()?data:.*?:(\d+):(\d+)\)?$/gm)].map((
    [, name, lineno, colno],
  ) => ({ filename: "http://page/a.js", function: name ?? "?", lineno, colno }));
  return {
    frames: readStack({ frames: frames.toReversed() }).shown,
    map,
  };
}

const ids = new Map([["http://page/a.js", ID]]);

Deno.test("minified stack → file, line, column, function and source in TypeScript", async () => {
  const { frames, map } = await minified();
  assert.equal(frames.length, 3);
  const found = await createSourceFinder(() => Promise.resolve(map)).find(frames, ids);
  const places = found.map((
    { function: name, file, line, column, own },
  ) => [name, file, line, column, own]);
  const lines = SOURCE.split("\n");
  const column = (line: number, text: string) => lines[line - 1]!.indexOf(text) + 1;
  assert.deepEqual(places, [
    ["check", "shop/order.ts", 6, column(6, "new Error"), true],
    ["placeOrder", "shop/order.ts", 9, column(9, "check("), true],
    ["inBackground", "shop/order.ts", 14, column(14, "placeOrder("), true],
  ]);
  const { source, script } = found[0]!;
  assert.deepEqual(source?.lines, lines.slice(0, 11));
  assert.equal(source?.lines[source.marked], lines[5]);
  assert.equal(source?.first, 1);
  assert.match(script ?? "", /^http:\/\/page\/a\.js:\d+:\d+$/);
});

Deno.test("no map, no debug id or unmapped position → frame as sent", async () => {
  const { frames, map } = await minified();
  const asSent = frames.map((frame) => ({ ...frame, script: null, hasMap: false }));
  assert.deepEqual(
    await createSourceFinder(() => Promise.resolve(undefined)).find(frames, ids),
    asSent,
  );
  const finder = createSourceFinder(() => Promise.resolve(map));
  assert.deepEqual(await finder.find(frames, new Map()), asSent);
  const lying = frames.map((frame) => ({ ...frame, line: 2 ** 40, column: 2 ** 40 }));
  for (const { script, hasMap } of await finder.find(lying, ids)) {
    assert.deepEqual([script, hasMap], [null, true]);
  }
});

Deno.test("same map twice → one request; after a failure → another", async () => {
  const { frames, map } = await minified();
  let asked = 0;
  const finder = createSourceFinder(() =>
    ++asked === 1 ? Promise.reject(new Error("offline")) : Promise.resolve(map)
  );
  await assert.rejects(finder.find(frames, ids), /offline/);
  await finder.find(frames, ids);
  await finder.find(frames, ids);
  assert.equal(asked, 2);
});

Deno.test("event with thousands of scripts → few requests", async () => {
  let asked = 0;
  const finder = createSourceFinder(() => (asked++, Promise.resolve(undefined)));
  const files = Array.from({ length: 2_000 }, (_, n) => `/${n}.js`);
  const frames = files.map((filename) => ({ filename, lineno: 1, colno: 1 }));
  const posted = files.map((file, n) =>
    [file, ID.slice(0, -4) + String(n).padStart(4, "0")] as const
  );
  await finder.find(readStack({ frames }).shown, new Map(posted));
  assert.ok(asked > 0 && asked <= 40, `${asked}`);
});

Deno.test("columns from 1 in a stack, from 0 in a map → converted; bundlers' prefixes removed", async () => {
  const { shown } = readStack({
    frames: [2, 1].map((colno) => ({ filename: "http://page/a.js", lineno: 1, colno })),
  });
  for (const source of ["../../a.ts", "webpack://shop/./a.ts", "webpack:///./a.ts"]) {
    // The script's first character is the source's first line, its second one the second line.
    const sourcesContent = ["one\ntwo"];
    const map = { version: 3, sources: [source], sourcesContent, names: [], mappings: "AAAA,CACA" };
    const finder = createSourceFinder(() => Promise.resolve(JSON.stringify(map)));
    const found = await finder.find(shown, ids);
    assert.deepEqual(found.map(({ file, line, column }) => [file, line, column]), [
      ["a.ts", 1, 1],
      ["a.ts", 2, 1],
    ]);
  }
});
