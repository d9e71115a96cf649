import { copySite, Fixture, SITE_OPTIONS } from "../testdata/fixture.ts";
import assert from "node:assert/strict";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import type { Manifest } from "../manifest.ts";
import { build } from "./build.ts";
import { DEBUG_ID_LINE, DebugIdError, withDebugId } from "./debug_id.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const bytes = (text: string) => new TextEncoder().encode(text);
const script = (code: string) => bytes(`${DEBUG_ID_LINE}\n${code}`);
const idOf = (map: Uint8Array) => JSON.parse(new TextDecoder().decode(map)).debugId as string;

/** The id that a script's first line says. */
function idIn(code: string): string | undefined {
  return /^\(self\._debugIds\?\?=\{\}\)\[Error\(\)\.stack\]="([^"]+)";\n/.exec(code)?.[1];
}

/** Debug id of each script with a map, by its name. */
async function idsIn(out: string, { assets }: Manifest): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const [name, { kind }] of Object.entries(assets)) {
    if (kind === "extra") continue;
    ids[name] = idOf(await Deno.readFile(`${out}/maps/${name}.map`));
  }
  return ids;
}

/** Builds a copy of the site, in a folder of its own, with this in `later.ts`. */
async function buildCopy(later?: string): Promise<Record<string, string>> {
  const folder = await Deno.makeTempDir({ prefix: "debug-id-" });
  try {
    await copySite(`${folder}/site`);
    if (later !== undefined) await Deno.writeTextFile(`${folder}/site/later.ts`, later);
    const { manifest } = await build({ root: `${folder}/site`, ...SITE_OPTIONS });
    return await idsIn(`${folder}/site/.build`, manifest);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("every script with a source map shares a debug id with it, and no two share one", async () => {
  await using fixture = await Fixture.build();
  const ids = await idsIn(fixture.out, fixture.report.manifest);
  assert.ok(Object.keys(ids).length >= 5);
  for (const [name, id] of Object.entries(ids)) {
    assert.match(id, UUID);
    assert.equal(idIn(await Deno.readTextFile(`${fixture.out}/assets/${name}`)), id);
  }
  assert.equal(new Set(Object.values(ids)).size, Object.keys(ids).length);
});

Deno.test("a development build has debug ids too", async () => {
  await using fixture = await Fixture.build({ dev: true });
  const ids = await idsIn(fixture.out, fixture.report.manifest);
  const reload = Object.entries(fixture.report.manifest.assets).find(([, { kind }]) =>
    kind === "reload"
  );
  assert.match(ids[reload?.[0] ?? ""] ?? "", UUID);
});

Deno.test("the same sources have the same names and debug ids in another folder", async () => {
  assert.deepEqual(await buildCopy(), await buildCopy());
});

Deno.test("a comment that only moves lines gives another debug id under another name", async () => {
  const source = 'export const later = () => "later";\n';
  const before = await buildCopy(source);
  const after = await buildCopy(`// A comment.\n${source}`);
  const ids = new Set(Object.values(before));
  const changed = Object.entries(after).filter(([name, id]) => before[name] !== id);
  assert.ok(changed.length > 0);
  for (const [name, id] of changed) {
    assert.ok(!(name in before), "a name stands for the same bytes for ever");
    assert.ok(!ids.has(id));
  }
});

Deno.test("a script says its debug id under its own address when it runs", async () => {
  await using fixture = await Fixture.build();
  const ids = await idsIn(fixture.out, fixture.report.manifest);
  const [vendor = ""] = Object.entries(fixture.report.manifest.assets)
    .find(([, { kind }]) => kind === "vendor") ?? [];
  const address = `file://${fixture.out}/assets/${vendor}`;
  await import(address);
  const said = (globalThis as { _debugIds?: Record<string, string> })._debugIds ?? {};
  const [, id] = Object.entries(said).find(([stack]) => stack.includes(address)) ?? [];
  assert.equal(id, ids[vendor]);
});

Deno.test("positions in a script are those of its map, though a line stands before it", async () => {
  await using fixture = await Fixture.build();
  const { assets } = fixture.report.manifest;
  const [name = ""] = Object.entries(assets).find(([, asset]) => asset.name === "Counter") ?? [];
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

Deno.test("ids depend on the script and on its map, and take no room of their own", () => {
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

Deno.test("a script without the line is refused", () => {
  assert.throws(() => withDebugId(bytes("a()"), bytes("{}")), DebugIdError);
});
