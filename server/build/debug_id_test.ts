import { copiedSite, Fixture } from "../testdata/fixture.ts";
import assert from "node:assert/strict";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import type { Manifest } from "../manifest.ts";
import { BuildError } from "./build_error.ts";
import { FIRST_LINES, withDebugId } from "./debug_id.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const bytes = (text: string) => new TextEncoder().encode(text);
const script = (code: string) => bytes(`${FIRST_LINES}\n${code}`);
const idOf = (map: Uint8Array) => JSON.parse(new TextDecoder().decode(map)).debugId as string;

/** The id in a script. */
function idIn(code: string): string | undefined {
  return /^\(self\._debugIds\?\?=\{\}\)\[import\.meta\.url\]="([^"]+)";\n/m.exec(code)?.[1];
}

const fixture = await Fixture.build();
const ids = await idsIn(fixture.out, fixture.report.manifest);

Deno.test.afterAll(() => fixture[Symbol.asyncDispose]());

/** Debug id of each script with a map, by its name. */
async function idsIn(out: string, { assets }: Manifest): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const [name, { kind }] of Object.entries(assets)) {
    if (kind === "extra") continue;
    ids[name] = idOf(await Deno.readFile(`${out}/maps/${name}.map`));
  }
  return ids;
}

/** Builds a copy of the fixture project with this text before the content of `later.ts`. */
async function buildCopy(prefix = ""): Promise<Record<string, string>> {
  await using site = await copiedSite();
  const later = `${site.root}/later.ts`;
  await Deno.writeTextFile(later, prefix + await Deno.readTextFile(later));
  const { manifest } = await site.build();
  return await idsIn(`${site.root}/.build`, manifest);
}

Deno.test("script and its source map → one debug id, different for each script", async () => {
  assert.ok(Object.keys(ids).length >= 5);
  for (const [name, id] of Object.entries(ids)) {
    assert.match(id, UUID);
    assert.equal(idIn(await Deno.readTextFile(`${fixture.out}/assets/${name}`)), id);
  }
  assert.equal(new Set(Object.values(ids)).size, Object.keys(ids).length);
});

const copy = buildCopy();

Deno.test("same sources in another folder → same names and debug ids", async () => {
  assert.deepEqual(await buildCopy(), await copy);
});

Deno.test("comment that moves lines → another debug id and file name", async () => {
  const before = await copy;
  const after = await buildCopy("// A comment.\n");
  const changed = Object.entries(after).filter(([name, id]) => before[name] !== id);
  assert.ok(changed.length > 0);
  for (const [name, id] of changed) {
    assert.ok(!(name in before), "a name never changes its content");
    assert.ok(!Object.values(before).includes(id));
  }
});

Deno.test("script runs → registers its debug id by its address", async () => {
  const [vendor = ""] = Object.entries(fixture.report.manifest.assets)
    .find(([, { kind }]) => kind === "vendor") ?? [];
  const address = `file://${fixture.out}/assets/${vendor}`;
  await import(address);
  const registered = (globalThis as { _debugIds?: Record<string, string> })._debugIds ?? {};
  assert.equal(registered[address], ids[vendor]);
});

Deno.test("first lines added → positions in the source map stay valid", async () => {
  const { assets } = fixture.report.manifest;
  const [name = ""] = Object.entries(assets).find(([, { sources }]) => "client.ts" in sources) ??
    [];
  const code = await Deno.readTextFile(`${fixture.out}/assets/${name}`);
  const map = new TraceMap(await Deno.readTextFile(`${fixture.out}/maps/${name}.map`));
  const source = await Deno.readTextFile(
    new URL("../testdata/site/islands/Counter.tsx", import.meta.url),
  );
  const at = code.indexOf('"button"');
  assert.ok(at > 0);
  const above = code.slice(0, at).split("\n");
  const position = originalPositionFor(map, {
    line: above.length,
    column: above.at(-1)!.length,
  });
  assert.match(position.source ?? "", /islands\/Counter\.tsx$/);
  assert.match(source.split("\n")[(position.line ?? 0) - 1] ?? "", /<button /);
});

Deno.test("debug id → depends on script and map, length unchanged", () => {
  const one = withDebugId(script("a()"), bytes('{"version":3}'));
  assert.match(idOf(one.map), UUID);
  assert.equal(one.contents.length, script("a()").length);
  assert.equal(idIn(new TextDecoder().decode(one.contents)), idOf(one.map));
  assert.deepEqual(withDebugId(script("a()"), bytes('{"version":3}')), one);
  assert.notEqual(idOf(withDebugId(script("b()"), bytes('{"version":3}')).map), idOf(one.map));
  assert.notEqual(
    idOf(withDebugId(script("a()"), bytes('{"version":3,"x":1}')).map),
    idOf(one.map),
  );
});

Deno.test("script without the first lines → refused", () => {
  assert.throws(() => withDebugId(bytes("a()"), bytes("{}")), BuildError);
});
