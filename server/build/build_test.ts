import { copySite, Fixture, SITE, SITE_OPTIONS } from "../testdata/fixture.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as esbuild from "esbuild";
import { build } from "./build.ts";

const fixture = await Fixture.build();
const { manifest } = fixture.report;
const read = (path: string) => Deno.readTextFile(`${fixture.out}/${path}`);

Deno.test.afterAll(() => fixture[Symbol.asyncDispose]());

/** Hash of each file under a folder, by its path. */
function snapshot(folder: string, under = ""): Record<string, string> {
  const files: Record<string, string> = {};
  for (const { name, isDirectory } of Deno.readDirSync(`${folder}/${under}`)) {
    const path = `${under}${name}`;
    if (isDirectory) Object.assign(files, snapshot(folder, `${path}/`));
    else files[path] = hash(Deno.readFileSync(`${folder}/${path}`));
  }
  return files;
}

function hash(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

const page = (path: string, variant: string) => {
  const found = manifest.pages.find((entry) => entry.path === path && entry.variant === variant);
  assert.ok(found);
  return found;
};

const assetsOf = (kind: string) =>
  Object.entries(manifest.assets).filter(([, asset]) => asset.kind === kind);

Deno.test("two builds of the same sources → identical bytes", async () => {
  await using again = await Fixture.build();
  assert.deepEqual(snapshot(again.out), snapshot(fixture.out));
});

Deno.test("build → contains no path of its folder", () => {
  for (const folder of ["assets", "maps", "pages"]) {
    for (const { name } of Deno.readDirSync(`${fixture.out}/${folder}`)) {
      if (/\.(?:br|gz)$/.test(name)) continue;
      const text = Deno.readTextFileSync(`${fixture.out}/${folder}/${name}`);
      assert.ok(!text.includes(SITE), `${folder}/${name}`);
    }
  }
});

Deno.test("React → one module for all of its specifiers", async () => {
  const vendors = assetsOf("vendor");
  assert.equal(vendors.length, 1);
  const [[name = ""] = []] = vendors;
  const html = await read(`pages/${page("/", "one").file}`);
  const map = JSON.parse(/<script type="importmap">(.*?)<\/script>/.exec(html)?.[1] ?? "");
  for (const specifier of ["react", "react/jsx-runtime", "react-dom", "react-dom/client"]) {
    assert.equal(map.imports[specifier], `/assets/${name}`);
  }
  for (const [, asset] of Object.entries(manifest.assets)) {
    if (asset.kind !== "vendor") {
      assert.ok(!("react" in asset.sources || "react-dom" in asset.sources));
    }
  }
  const vendor = await import(`file://${fixture.out}/assets/${name}`);
  assert.equal(typeof vendor.useState, "function");
  assert.equal(typeof vendor.hydrateRoot, "function");
  assert.equal(typeof vendor.createPortal, "function");
  assert.equal(typeof vendor.jsx, "function");
  assert.equal(vendor.default.useState, vendor.useState);
  assert.equal(vendor.act, undefined, "the production build");
});

Deno.test("each island → its own chunk; a page preloads only its islands", async () => {
  const islands = new Map(assetsOf("island").map(([name, asset]) => [asset.name, name]));
  assert.deepEqual([...islands.keys()].sort(), ["Counter", "Field", "Folded", "Plain"]);
  const [[client = ""] = []] = assetsOf("client");
  const [[vendor = ""] = []] = assetsOf("vendor");
  assert.deepEqual(page("/about", "one").assets.slice(0, 2), [vendor, client]);
  const needed = page("/", "one").assets;
  assert.deepEqual(needed.slice(0, 2), [vendor, client]);
  for (const [label = "", name] of islands) {
    assert.equal(needed.includes(name), ["Counter", "Plain"].includes(label), label);
  }
  const html = await read(`pages/${page("/", "one").file}`);
  const preloads = [...html.matchAll(/<link rel="modulepreload" href="\/assets\/([^"]+)">/g)];
  assert.deepEqual(preloads.map(([, name]) => name), needed);
  // On the page, but loaded only when displayed.
  const folded = islands.get("Folded") ?? "";
  assert.ok(!page("/about", "one").assets.includes(folded));
  // Dynamic imports are not preloaded.
  const later = Object.entries(manifest.assets).find(([, asset]) =>
    asset.entryPoint === "later.ts"
  );
  assert.ok(later && !needed.includes(later[0]));
  assert.ok(manifest.assets[client]?.dynamicImports.includes(later[0]));
});

Deno.test("modules shared by the first scripts → one chunk", () => {
  const needed = page("/", "one").assets;
  const chunks = needed.filter((name) => manifest.assets[name]?.kind === "chunk");
  assert.equal(chunks.length, 1);
  assert.deepEqual(Object.keys(manifest.assets[chunks[0] ?? ""]?.sources ?? {}), [
    "components/Label.tsx",
    "components/Mark.tsx",
    "components/kinds.ts",
  ]);
});

Deno.test("client code of the kernel → under 2.4 KB, navigation in a later chunk", () => {
  const [[, client] = []] = assetsOf("client");
  assert.ok((client?.gzip ?? Infinity) < 2400);
  const replacing = Object.values(manifest.assets).find(({ sources }) =>
    Object.keys(sources).some((source) => source.endsWith("client/replace_page.ts"))
  );
  assert.equal(replacing?.kind, "chunk");
});

Deno.test("islands → prerendered with their own prefix, followed by their props", async () => {
  const html = await read(`pages/${page("/", "one").file}`);
  const islands = [
    ...html.matchAll(/<div data-island="(\w+)" data-island-id="([^"]+)">(.*?)<\/div>/g),
  ];
  assert.deepEqual(islands.map(([, name, id]) => [name, id]), [
    ["Counter", "i0-"],
    ["Counter", "i1-"],
    ["Plain", "i2-"],
  ]);
  for (const [, name, id, inside = ""] of islands) {
    if (name === "Counter") assert.match(inside, new RegExp(`<label id="_${id}R_`));
  }
  assert.ok(
    html.includes('data-island-props>{"start":5,"label":"fixed \\u003c/script>"}</script>'),
  );
});

Deno.test("page data → title and content only", async () => {
  const { data = "", file } = page("/about", "one");
  const [html, whole] = await Promise.all([read(`pages/${data}`), read(`pages/${file}`)]);
  assert.match(
    html,
    /^<!DOCTYPE html><html lang="en" data-variant="one"><head><meta charset="utf-8"\/><title>About<\/title><\/head><body><div data-page="[^"]+"><main>/,
  );
  assert.match(html, /<\/main><\/div><\/body><\/html>$/);
  assert.ok(html.includes('data-island-props>{"start":7,"label":"about"}</script>'));
  assert.doesNotMatch(html, /<style|<link|importmap|noscript|src=|data-announcer|id="client"/);
  assert.match(whole, /noscript/);
  assert.doesNotMatch(whole, /data-page-end/);
  // Error pages cannot be navigated to.
  assert.equal(page("404", "one").data, undefined);
});

Deno.test("script in a page → build error", async () => {
  const folder = await Deno.makeTempDir({ prefix: "build-" });
  try {
    const root = `${folder}/site`;
    await copySite(root);
    const kernel = new URL("../page.tsx", import.meta.url);
    await Deno.writeTextFile(
      `${root}/routes/about.tsx`,
      `import { InlineScript } from "${kernel}";\n` +
        'export const variants = ["one"];\n' +
        'export default () => <InlineScript code="self.ran = true" />;\n',
    );
    await assert.rejects(
      build({ root, ...SITE_OPTIONS }),
      /A page cannot contain a script: put it into routes\/_app\.tsx/,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("source maps → kept, not named in assets", async () => {
  for (const [name, asset] of Object.entries(manifest.assets)) {
    assert.doesNotMatch(await read(`assets/${name}`), /sourceMappingURL/);
    if (asset.kind === "extra") continue;
    const map = JSON.parse(await read(`maps/${name}.map`));
    assert.equal(map.version, 3);
  }
});

Deno.test("sizes in the manifest → those of the files", async () => {
  for (const [name, asset] of Object.entries(manifest.assets)) {
    const size = async (end: string) =>
      (await Deno.stat(`${fixture.out}/assets/${name}${end}`)).size;
    assert.equal(await size(""), asset.bytes);
    if (asset.gzip !== undefined) assert.equal(await size(".gz"), asset.gzip);
    if (asset.brotli !== undefined) assert.equal(await size(".br"), asset.brotli);
  }
});

Deno.test("style sheet → inlined with its imports, no separate file", async () => {
  const html = await read(`pages/${page("/", "one").file}`);
  assert.ok(html.includes("<style>label{margin:0}body{color:red}</style>"));
  assert.equal(manifest.statics["/page.css"], undefined);
  assert.match(await read("inputs.json"), /"components\/label\.css"/);
});

Deno.test("reload script and stream → only in development builds", async () => {
  await using dev = await Fixture.build({ dev: true });
  const hasReload = (of: Fixture) =>
    Object.values(of.report.manifest.assets).some(({ kind }) => kind === "reload");
  assert.deepEqual([hasReload(dev), hasReload(fixture)], [true, false]);
  for (const { kind, debugId } of Object.values(dev.report.manifest.assets)) {
    if (kind === "reload") assert.ok(debugId);
  }
  assert.equal(manifest.dev, false);
  const app = await dev.app();
  const stream = await app.handler(new Request("http://localhost/_reload"));
  assert.equal(stream.headers.get("Content-Type"), "text/event-stream");
  app.close();
  assert.match(await stream.text(), new RegExp(`^retry: \\d+\\ndata: ${app.buildId}-`));
});

Deno.test("source changed → another build; build fails → the last one is unchanged", async () => {
  const folder = await Deno.makeTempDir({ prefix: "build-" });
  try {
    const root = `${folder}/site`;
    await copySite(root);
    await build({ root, ...SITE_OPTIONS });
    const before = snapshot(`${root}/.build`);
    await Deno.writeTextFile(`${root}/later.ts`, "export const later = (;\n");
    const error = await build({ root, ...SITE_OPTIONS }).then(() => undefined, (failed) => failed);
    const [message] = (error as esbuild.BuildFailure).errors;
    assert.deepEqual([message?.location?.file, message?.location?.line], ["later.ts", 1]);
    assert.deepEqual(snapshot(`${root}/.build`), before);

    await Deno.writeTextFile(`${root}/later.ts`, "export const later = String;\n");
    const { manifest: changed } = await build({ root, ...SITE_OPTIONS });
    assert.notEqual(changed.buildId, JSON.parse(await read("manifest.json")).buildId);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("import that is not in the import map → build error", async () => {
  const folder = await Deno.makeTempDir({ prefix: "build-" });
  try {
    await copySite(`${folder}/site`);
    await Deno.writeTextFile(`${folder}/site/later.ts`, 'import "react/compiler-runtime";\n');
    await assert.rejects(
      build({ root: `${folder}/site`, ...SITE_OPTIONS }),
      /imports "react\/compiler-runtime", which is not in the import map/,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
