import assert from "node:assert/strict";
import { checkSourceMap, readSourceMapUpload, SourceMapError } from "./source_map_upload.ts";
import { openInbox } from "./sqlite_inbox.ts";
import { SourceMapOverBoundError } from "./inbox.ts";

const ID = "01234567-89ab-4def-8123-456789abcdef";
const MAP = { version: 3, sources: ["a.ts"], names: [], mappings: "AAAA" };
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

const upload = (value: unknown, givenId = "", headers = {}) =>
  readSourceMapUpload(
    new Request("http://localhost/", { method: "POST", body: bytesOf(value), headers }),
    givenId,
  );

const refusedAs = (code: string, message = /./) => (error: unknown) =>
  error instanceof SourceMapError && error.code === code && message.test(error.message);

Deno.test("debug id in the map, in Sentry's form of it, or in the address → the map's id", async () => {
  assert.equal((await upload({ ...MAP, debugId: ID })).debugId, ID);
  assert.equal((await upload({ ...MAP, debug_id: ID.toUpperCase() })).debugId, ID);
  assert.equal((await upload(MAP, ID)).debugId, ID);
});

Deno.test("no debug id, two different ones, or compressed → refused with what would be right", async () => {
  await assert.rejects(upload(MAP), refusedAs("source_map_malformed", /maps=ID/));
  await assert.rejects(upload(MAP, "x"), refusedAs("source_map_malformed", /UUID/));
  const other = ID.replace("0", "f");
  await assert.rejects(upload({ ...MAP, debugId: other }, ID), refusedAs("source_map_malformed"));
  await assert.rejects(
    upload({ ...MAP, debugId: ID }, "", { "Content-Encoding": "gzip" }),
    refusedAs("encoding_not_supported"),
  );
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
    { ...MAP, mappings: 1 },
    // The source has index 1 and -1 of one.
    { ...MAP, mappings: "ACAA" },
    { ...MAP, mappings: "ADAA" },
    { ...MAP, mappings: ";".repeat(2_000_001) },
    { ...MAP, mappings: ",C".repeat(2_000_001) },
    { ...MAP, sources: Array(50_001).fill("a") },
    { version: 3, sections: [{ offset: { line: 1e9, column: 0 }, map: MAP }] },
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
  const inbox = openInbox({ maxBytes: 1_000 });
  try {
    const map = new Uint8Array(200);
    for (const key of ["a", "b", "a", "c"]) inbox.storeSourceMap(key, map);
    assert.deepEqual(await Promise.all(["a", "b", "c"].map((key) => inbox.sourceMap(key))), [
      map,
      undefined,
      map,
    ]);
    assert.throws(() => inbox.storeSourceMap("d", new Uint8Array(501)), SourceMapOverBoundError);
    assert.deepEqual(await inbox.sourceMap("c"), map);
    inbox.clear();
    assert.equal(await inbox.sourceMap("c"), undefined);
  } finally {
    inbox.close();
  }
});
