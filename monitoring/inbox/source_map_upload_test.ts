import assert from "node:assert/strict";
import { checkSourceMap, readSourceMapUpload, SourceMapError } from "./source_map_upload.ts";
import { ScriptMap } from "../models/error/script_map.ts";
import { Uploads } from "../uploads/uploads.ts";
import { Inbox } from "./inbox.ts";

const ID = "01234567-89ab-4def-8123-456789abcdef";
const MAP = { version: 3, sources: ["a.ts"], names: [], mappings: "AAAA" };
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

const upload = (value: unknown, givenId = "") =>
  readSourceMapUpload(
    new Request("http://localhost/", { method: "POST", body: bytesOf(value) }),
    givenId,
    new Uploads(),
  );

const refusedAs = (code: string, message = /./) => (error: unknown) =>
  error instanceof SourceMapError && error.code === code && message.test(error.message);

Deno.test("debug id in the map, in Sentry's form of it, or in the address → the map's id", async () => {
  assert.equal((await upload({ ...MAP, debugId: ID })).debugId, ID);
  assert.equal((await upload({ ...MAP, debug_id: ID.toUpperCase() })).debugId, ID);
  assert.equal((await upload(MAP, ID)).debugId, ID);
});

Deno.test("no debug id, or two different ones → refused with what would be right", async () => {
  await assert.rejects(upload(MAP), refusedAs("source_map_malformed", /maps=ID/));
  await assert.rejects(upload(MAP, "x"), refusedAs("source_map_malformed", /UUID/));
  const other = ID.replace("0", "f");
  await assert.rejects(upload({ ...MAP, debugId: other }, ID), refusedAs("source_map_malformed"));
});

/** A map of sections: line, column and map of each. */
const index = (sections: readonly [number, number, unknown][]) => ({
  version: 3,
  sections: sections.map(([line, column, map]) => ({ offset: { line, column }, map })),
});

Deno.test("map of sections → stored as one map, with positions, names and texts of each", () => {
  const a = { version: 3, sources: ["a.ts"], sourcesContent: ["A"], names: [], mappings: "AAAA" };
  const b = { ...a, sources: ["b.ts"], sourcesContent: ["B"], names: ["go"], mappings: "AACAA" };
  const map = { ...index([[0, 0, a], [0, 40, b], [2, 3, a]]), debug_id: ID, x_script: "function" };
  const { debugId, bytes } = checkSourceMap(bytesOf(map));
  assert.equal(debugId, ID);
  const read = new ScriptMap(new TextDecoder().decode(bytes));
  const at = (line: number, column: number) => {
    const found = read.positionOf({ function: "f", line, column });
    return found && [found.file, found.line, found.text];
  };
  assert.deepEqual([at(1, 1), at(1, 41), at(3, 4)], [
    ["a.ts", 1, "A"],
    ["b.ts", 2, "B"],
    ["a.ts", 1, "A"],
  ]);
  assert.equal(JSON.parse(new TextDecoder().decode(bytes)).x_script, "function");
});

/** Its addresses, joined with `sourceRoot`, have 5 GB. */
const JOINED_HUGE = {
  ...MAP,
  sources: Array(50_000).fill("b.ts"),
  sourceRoot: "a/".repeat(50_000),
};

Deno.test("huge sourceRoot for thousands of sources → not joined, neither stored nor read", () => {
  const fewer = { ...JOINED_HUGE, sources: JOINED_HUGE.sources.slice(0, 1_000) };
  const { heapUsed } = Deno.memoryUsage();
  assert.throws(
    () => checkSourceMap(bytesOf(fewer)),
    refusedAs("source_map_malformed", /sourceRoot/),
  );
  // A map that an earlier version has stored.
  const stored = new ScriptMap(JSON.stringify(fewer));
  assert.equal(stored.positionOf({ function: "f", line: 1, column: 1 })?.file, "b.ts");
  const grownBy = Deno.memoryUsage().heapUsed - heapUsed;
  assert.ok(grownBy < 20_000_000, `${grownBy}`);
});

Deno.test("anything but a usable source map → refused", () => {
  const broken: unknown[] = [
    null,
    [],
    "text",
    {},
    { ...MAP, version: 2 },
    { ...MAP, sources: undefined },
    { ...MAP, sources: [1] },
    { ...MAP, sourcesContent: [{}] },
    { ...MAP, sourceRoot: ["a"] },
    { ...MAP, mappings: 1 },
    // The source has index 1 and -1 of one.
    { ...MAP, mappings: "ACAA" },
    { ...MAP, mappings: "ADAA" },
    { ...MAP, mappings: ";".repeat(2_000_001) },
    { ...MAP, mappings: ",C".repeat(2_000_001) },
    { ...MAP, sources: Array(50_001).fill("a") },
    JOINED_HUGE,
    index([[0, 0, MAP], [1, 0, JOINED_HUGE]]),
    index([[1e9, 0, MAP]]),
    index([[2, 0, MAP], [1, 9, MAP]]),
    index([[1, 5, MAP], [1, 5, MAP]]),
    index([[0, -1, MAP]]),
    index([[0, 0.5, MAP]]),
    index([[0, 0, index([[0, 0, MAP]])]]),
    index([[0, 0, undefined]]),
    index([[0, 0, MAP], [1, 0, { ...MAP, mappings: "AEAA" }]]),
    index([[0, 0, { ...MAP, mappings: ";".repeat(1_000_001) }], [1_000_000, 0, MAP]]),
    index([0, 1].map((line) => [line, 0, { ...MAP, sources: Array(25_001).fill("a") }])),
    { version: 3, sections: "x" },
    { version: 3, sections: [null] },
  ];
  for (const value of broken) {
    assert.throws(
      () => checkSourceMap(bytesOf(value)),
      refusedAs("source_map_malformed"),
      `${JSON.stringify(value)?.slice(0, 80)}`,
    );
  }
  assert.throws(() => checkSourceMap(new TextEncoder().encode("<html>")), SourceMapError);
});

Deno.test("maps over half of the inbox's limit → oldest evicted; one that is larger → refused", async () => {
  const inbox = new Inbox({ maxBytes: 1_000 });
  try {
    const map = new Uint8Array(200);
    for (const key of ["a", "b", "a", "c"]) inbox.storeSourceMap(key, map);
    assert.deepEqual(await Promise.all(["a", "b", "c"].map((key) => inbox.sourceMap(key))), [
      map,
      undefined,
      map,
    ]);
    await assert.rejects(
      inbox.storeSourceMap("d", new Uint8Array(501)),
      refusedAs("source_map_too_large"),
    );
    assert.deepEqual(await inbox.sourceMap("c"), map);
    inbox.clear();
    assert.equal(await inbox.sourceMap("c"), undefined);
  } finally {
    inbox.close();
  }
});
