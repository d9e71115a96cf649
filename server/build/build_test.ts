import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { copiedSite, Fixture, SITE } from "../testdata/fixture.ts";
import type { Manifest } from "../manifest.ts";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";
import { bundleStyle } from "./bundle.ts";
import { FIRST_LINES, withDebugId } from "./debug_id.ts";

const fixture = await Fixture.build();
const { manifest } = fixture.report;
const read = (path: string) => Deno.readTextFile(`${fixture.out}/${path}`);

/** A copy of the project that tests change and restore. Built before its first change. */
const site = await copiedSite();
const built = await site.build();
const before = snapshot(`${site.root}/.build`);

Deno.test.afterAll(async () => {
  await fixture[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

/** Hash of each file under a folder, by its path. */
function snapshot(folder: string, under = ""): Record<string, string> {
  const files: Record<string, string> = {};
  for (const { name, isDirectory } of Deno.readDirSync(`${folder}/${under}`)) {
    const path = `${under}${name}`;
    if (isDirectory) Object.assign(files, snapshot(folder, `${path}/`));
    else {
      files[path] = createHash("sha256").update(Deno.readFileSync(`${folder}/${path}`))
        .digest("hex");
    }
  }
  return files;
}

/** Adds texts to the start of files of the copy while `check` runs. */
async function changed<T>(texts: Record<string, string>, check: () => Promise<T>): Promise<T> {
  const originals: [path: string, text: string | undefined][] = [];
  for (const [file, text] of Object.entries(texts)) {
    const path = `${site.root}/${file}`;
    const original = await Deno.readTextFile(path).catch(() => undefined);
    originals.push([path, original]);
    await Deno.writeTextFile(path, text + (original ?? ""));
  }
  try {
    return await check();
  } finally {
    for (const [path, text] of originals) {
      if (text === undefined) await Deno.remove(path);
      else await Deno.writeTextFile(path, text);
    }
  }
}

const page = (path: string, variant: string) => {
  const found = manifest.pages.find((entry) => entry.path === path && entry.variant === variant);
  assert.ok(found);
  return found;
};
const rootHtml = await read(`pages/${page("/", "one").file}`);

const assetsOf = (kind: string) =>
  Object.entries(manifest.assets).filter(([, asset]) => asset.kind === kind);
const [[clientFile = "", clientAsset] = []] = assetsOf("client");
const [[vendorFile = ""] = []] = assetsOf("vendor");
/** What the client is made of. */
const [firstFile = ""] =
  Object.entries(manifest.assets).find(([, { sources }]) => "client.ts" in sources) ?? [];

Deno.test("same sources in another folder → identical bytes, no path of the folder in them", async () => {
  await using other = await copiedSite();
  await other.build();
  assert.deepEqual(snapshot(`${other.root}/.build`), before);
  for (const folder of ["assets", "maps", "pages"]) {
    for (const { name } of Deno.readDirSync(`${fixture.out}/${folder}`)) {
      if (/\.(?:br|gz)$/.test(name)) continue;
      assert.ok(!(await read(`${folder}/${name}`)).includes(SITE), `${folder}/${name}`);
    }
  }
});

Deno.test("React → one module for all of its specifiers, which registers its debug id", async () => {
  assert.equal(assetsOf("vendor").length, 1);
  const map = JSON.parse(/<script type="importmap">(.*?)<\/script>/.exec(rootHtml)?.[1] ?? "");
  for (const specifier of ["react", "react/jsx-runtime", "react-dom", "react-dom/client"]) {
    assert.equal(map.imports[specifier], `/assets/${vendorFile}`);
  }
  for (const { kind, sources } of Object.values(manifest.assets)) {
    if (kind !== "vendor") assert.ok(!("react" in sources || "react-dom" in sources));
  }
  const address = `file://${fixture.out}/assets/${vendorFile}`;
  const vendor = await import(address);
  for (const name of ["useState", "hydrateRoot", "createPortal", "jsx"]) {
    assert.equal(typeof vendor[name], "function", name);
  }
  assert.equal(vendor.default.useState, vendor.useState);
  assert.equal(vendor.act, undefined, "the production build");
  const registered = (globalThis as { _debugIds?: Record<string, string> })._debugIds ?? {};
  assert.equal(registered[address], manifest.assets[vendorFile]?.debugId);
});

Deno.test("page → preloads React, the client and what it shares, nothing else", () => {
  const { first } = manifest;
  assert.deepEqual(first.slice(0, 2), [vendorFile, clientFile]);
  assert.deepEqual(first.slice(2), clientAsset?.imports.filter((name) => name.endsWith(".js")));
  const preloads = [...rootHtml.matchAll(/<link rel="modulepreload" href="\/assets\/([^"]+)">/g)];
  assert.deepEqual(preloads.map(([, file]) => file), first);
});

Deno.test("island → prerendered with its own prefix, followed by its props", () => {
  const [, prefix, inside = ""] = /<div data-island="([^"]+)">(.*?)<\/div>/.exec(rootHtml) ?? [];
  assert.match(inside, new RegExp(`<label id="_${prefix}R_`));
  assert.match(
    rootHtml,
    /data-island-props>{"start":3,"label":"\uE001place\uE003\\u003c\/script>"}</,
  );
});

Deno.test("partial → title and content only", async () => {
  const { partial = "", file } = page("/about", "one");
  const [partialHtml, pageHtml] = await Promise.all([
    read(`pages/${partial}`),
    read(`pages/${file}`),
  ]);
  assert.match(
    partialHtml,
    /^<!DOCTYPE html><html lang="en" data-variant="one"><head><meta charset="utf-8"\/><title>About<\/title><\/head><body><div data-page="[^"]+"><main>/,
  );
  assert.match(partialHtml, /<\/main><\/div><\/body><\/html>$/);
  assert.ok(partialHtml.includes('data-island-props>{"start":7,"label":"about"}</script>'));
  assert.doesNotMatch(
    partialHtml,
    /<style|<link|importmap|noscript|src=|data-announcer|id="client"/,
  );
  assert.match(pageHtml, /noscript/);
  assert.doesNotMatch(pageHtml, /data-page-end/);
  // Error pages cannot be navigated to.
  assert.equal(page("404", "one").partial, undefined);
});

Deno.test("script → hint in its first line; one debug id with its source map, which is apart", async () => {
  const ids = new Set<string>();
  for (const [name, { kind, debugId = "" }] of Object.entries(manifest.assets)) {
    const code = await read(`assets/${name}`);
    assert.doesNotMatch(code, /sourceMappingURL/);
    if (kind === "extra" || kind === "style") continue;
    assert.match(code, /^\/\/# allFunctionsCalledOnLoad\n/, name);
    assert.match(debugId, UUID);
    assert.equal(idIn(code), debugId);
    const map = JSON.parse(await read(`maps/${name}.map`));
    assert.deepEqual([map.version, map.debugId], [3, debugId]);
    ids.add(debugId);
  }
  const others = [...assetsOf("extra"), ...assetsOf("style")];
  assert.equal(ids.size, Object.keys(manifest.assets).length - others.length);
});

Deno.test("sizes in the manifest → sizes of the files and their compressed forms", async () => {
  for (const [name, asset] of Object.entries(manifest.assets)) {
    const fileSize = async (extension: string) =>
      (await Deno.stat(`${fixture.out}/assets/${name}${extension}`)).size;
    assert.equal(await fileSize(""), asset.bytes);
    if (asset.gzip !== undefined) assert.equal(await fileSize(".gz"), asset.gzip);
    if (asset.brotli !== undefined) assert.equal(await fileSize(".br"), asset.brotli);
  }
});

Deno.test("style sheet → inlined with its imports, no separate file", () => {
  assert.ok(rootHtml.includes("<style data-static>label{margin:0}body{color:red}</style>"));
  assert.equal(manifest.statics["/page.css"], undefined);
  assert.ok(manifest.inputs.includes("components/label.css"));
});

Deno.test("style sheet beside an island → a file in a layer, at its name in the import map", async () => {
  const [[file = ""] = []] = assetsOf("style");
  assert.equal(await read(`assets/${file}`), "@layer views{b{margin:0}}");
  assert.ok(rootHtml.includes(`"counter.css":"/assets/${file}"`));
  assert.ok(manifest.inputs.includes("islands/counter.css"));
});

Deno.test("style sheet with a syntax error → refused with its line", async () => {
  using folder = temporaryFolder();
  await Deno.writeTextFile(join(folder.path, "a.css"), "p { margin: 0 }\n.x,\n");
  await assert.rejects(bundleStyle(folder.path, "a.css"), /a\.css:\d+: /);
});

Deno.test("development build → reload script with a debug id, reload stream", async () => {
  assert.equal(manifest.dev, false);
  assert.deepEqual(assetsOf("reload"), []);
  await using dev = await Fixture.build({ dev: true });
  const reload = Object.values(dev.report.manifest.assets).find(({ kind }) => kind === "reload");
  assert.ok(reload?.debugId);
  const app = await dev.app();
  const stream = await app.handler(new Request("http://localhost/_reload"));
  assert.equal(stream.headers.get("Content-Type"), "text/event-stream");
  app.close();
  assert.match(await stream.text(), /^retry: \d+\ndata: [\da-f-]{36}\n\n$/);
});

const FAILING: Record<string, [texts: Record<string, string>, error: RegExp]> = {
  "syntax error": [
    { "later.ts": "export const x = (;\n" },
    /later\.ts:1:18: ERROR: Unexpected ";"/,
  ],
  "CommonJS module in browser code": [
    { "old.cjs": "exports.old = 1;\n", "later.ts": 'import "./old.cjs";\n' },
    /imports old\.cjs, which is CommonJS/,
  ],
};
for (const [name, [texts, error]] of Object.entries(FAILING)) {
  Deno.test(`${name} → build error, the last build is unchanged`, async () => {
    await changed(texts, () => assert.rejects(site.build(), error));
    assert.deepEqual(snapshot(`${site.root}/.build`), before);
  });
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const bytes = (text: string) => new TextEncoder().encode(text);

/** The id in a script. */
function idIn(code: string): string | undefined {
  return /^\(self\._debugIds\?\?=\{\}\)\[import\.meta\.url\]="([^"]+)";\n/m.exec(code)?.[1];
}

Deno.test("comment that moves lines → another build, debug id and file name", async () => {
  const comment = { "later.ts": "// A comment.\n" };
  const { manifest: after } = await changed(comment, () => site.build());
  assert.notEqual(after.buildId, built.manifest.buildId);
  const idsOf = ({ assets }: Manifest) =>
    new Map(Object.entries(assets).map(([name, { debugId }]) => [name, debugId]));
  const ids = idsOf(built.manifest);
  const others = [...idsOf(after)].filter(([name, id]) => ids.get(name) !== id);
  assert.ok(others.length > 0);
  for (const [name, id] of others) {
    assert.ok(!ids.has(name), "a name never changes its content");
    assert.ok(![...ids.values()].includes(id));
  }
});

Deno.test("first lines added → positions in the source map stay valid", async () => {
  const code = await read(`assets/${firstFile}`);
  const map = new TraceMap(await read(`maps/${firstFile}.map`));
  const source = await Deno.readTextFile(`${SITE}/islands/Counter.tsx`);
  const at = code.indexOf('"button"');
  assert.ok(at > 0);
  const above = code.slice(0, at).split("\n");
  const position = originalPositionFor(map, { line: above.length, column: above.at(-1)!.length });
  assert.match(position.source ?? "", /islands\/Counter\.tsx$/);
  assert.match(source.split("\n")[(position.line ?? 0) - 1] ?? "", /<button /);
});

Deno.test("debug id → depends on script and map, length unchanged; other first lines → error", () => {
  const script = (code: string) => bytes(`${FIRST_LINES}\n${code}`);
  const one = withDebugId(script("a()"), bytes('{"version":3}'));
  assert.equal(one.contents.length, script("a()").length);
  assert.equal(idIn(new TextDecoder().decode(one.contents)), one.debugId);
  assert.deepEqual(withDebugId(script("a()"), bytes('{"version":3}')), one);
  assert.notEqual(withDebugId(script("b()"), bytes('{"version":3}')).debugId, one.debugId);
  assert.notEqual(withDebugId(script("a()"), bytes('{"version":3,"x":1}')).debugId, one.debugId);
  assert.throws(() => withDebugId(bytes("a()"), bytes("{}")), /starts with other lines/);
});
