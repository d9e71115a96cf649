import assert from "node:assert/strict";
import { findSources } from "./source_finder.ts";
import { readStack } from "./stack.ts";

const ID = "00000000-0000-8000-8000-00000000000a";
const FILE = "http://page/a.js";
const ids = new Map([[FILE, ID]]);

/** A map in which the script's first character is the source's first line, its second one the second line. */
const mapOf = (source: string) =>
  JSON.stringify({
    version: 3,
    sources: [source],
    sourcesContent: ["one\ntwo"],
    names: [],
    mappings: "AAAA,CACA",
  });
const MAP = mapOf("../../shop/a.ts");
/** Innermost first: the script's second and first character. */
const frames = readStack({
  frames: [1, 2].map((colno) => ({ filename: FILE, lineno: 1, colno })),
}).shown;

Deno.test("columns from 1 in a stack, from 0 in a map → file, line, source and script", async () => {
  const [found] = await findSources([frames], ids, () => Promise.resolve(MAP));
  assert.deepEqual(found!.map(({ file, line, column, own }) => [file, line, column, own]), [
    ["shop/a.ts", 2, 1, true],
    ["shop/a.ts", 1, 1, true],
  ]);
  const { source, script } = found![0]!;
  assert.deepEqual(source, { first: 1, lines: ["one", "two"], marked: 1 });
  assert.equal(script, `${FILE}:1:2`);
});

Deno.test("bundlers' prefixes of a source → removed", async () => {
  for (const source of ["../../a.ts", "webpack://shop/./a.ts", "webpack:///./a.ts"]) {
    const [found] = await findSources([frames], ids, () => Promise.resolve(mapOf(source)));
    assert.equal(found![0]?.file, "a.ts", source);
  }
});

Deno.test("no map, no debug id or unmapped position → frame as sent", async () => {
  const asSent = frames.map((frame) => ({ ...frame, script: null, hasMap: false }));
  assert.deepEqual(await findSources([frames], ids, () => Promise.resolve(undefined)), [asSent]);
  const readMap = () => Promise.resolve(MAP);
  assert.deepEqual(await findSources([frames], new Map(), readMap), [asSent]);
  const lying = frames.map((frame) => ({ ...frame, line: 2 ** 40, column: 2 ** 40 }));
  const [found] = await findSources([lying], ids, readMap);
  assert.deepEqual(
    found!.map(({ script, hasMap }) => [script, hasMap]),
    Array(2).fill([null, true]),
  );
});

Deno.test("several stacks with one script → its map is read once", async () => {
  let asked = 0;
  const found = await findSources([frames, [], frames], ids, () => (asked++, Promise.resolve(MAP)));
  assert.deepEqual(found.map((stack) => stack.map(({ line }) => line)), [[2, 1], [], [2, 1]]);
  assert.equal(asked, 1);
});

Deno.test("event with thousands of scripts → few requests, one after the other", async () => {
  let [asked, open] = [0, 0];
  const files = Array.from({ length: 2_000 }, (_, n) => `/${n}.js`);
  const frames = files.map((filename) => ({ filename, lineno: 1, colno: 1 }));
  const posted = files.map((file, n) =>
    [file, ID.slice(0, -4) + String(n).padStart(4, "0")] as const
  );
  await findSources([readStack({ frames }).shown], new Map(posted), async () => {
    asked++;
    assert.equal(++open, 1);
    await Promise.resolve();
    open--;
    return undefined;
  });
  assert.ok(asked > 0 && asked <= 40, `${asked}`);
});
