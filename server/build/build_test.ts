import { copiedSite, Fixture, SITE } from "../testdata/fixture.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { BuildFailure } from "esbuild";

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

Deno.test("assets, source maps and pages → contain no path of the project's folder", () => {
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

const islandFiles = new Map(assetsOf("island").map(([file, asset]) => [asset.name, file]));
const [[clientFile = "", clientAsset] = []] = assetsOf("client");
const [[vendorFile = ""] = []] = assetsOf("vendor");

/** What the client is made of. */
const firstCode = Object.values(manifest.assets).find(({ sources }) => "client.ts" in sources);

Deno.test("islands that pages load first → in the client's file, each other one in its own", () => {
  const first = Object.keys(firstCode?.sources ?? {}).filter((file) => file.startsWith("islands/"));
  assert.deepEqual(first, ["islands/Counter.tsx", "islands/Field.tsx", "islands/Plain.tsx"]);
  assert.deepEqual([...islandFiles.keys()].sort(), ["Folded"]);
});

Deno.test("page → preloads React, the client and what it shares, nothing else", async () => {
  const needed = page("/", "one").assets;
  assert.deepEqual(needed.slice(0, 2), [vendorFile, clientFile]);
  assert.deepEqual(needed.slice(2), clientAsset?.imports.filter((name) => name.endsWith(".js")));
  const html = await read(`pages/${page("/", "one").file}`);
  const preloads = [...html.matchAll(/<link rel="modulepreload" href="\/assets\/([^"]+)">/g)];
  assert.deepEqual(preloads.map(([, file]) => file), needed);
});

Deno.test("dynamic import → a chunk of its own, not preloaded", () => {
  const later = Object.entries(manifest.assets).find(([, asset]) =>
    asset.entryPoint === "later.ts"
  );
  assert.ok(later && !page("/", "one").assets.includes(later[0]));
  assert.ok(firstCode?.dynamicImports.includes(later[0]));
});

Deno.test("module that a later chunk shares with the client → in the client's file", async () => {
  await using site = await copiedSite();
  await Deno.writeTextFile(`${site.root}/shared.ts`, "export const shared = [self];\n");
  for (const file of ["client.ts", "later.ts"]) {
    const text = await Deno.readTextFile(`${site.root}/${file}`);
    const use = 'import { shared } from "./shared.ts";\nshared.push(self);\n';
    await Deno.writeTextFile(`${site.root}/${file}`, use + text);
  }
  const { manifest } = await site.build();
  const first = manifest.pages.find(({ path }) => path === "/")?.assets ?? [];
  const owners = Object.keys(manifest.assets).filter((name) =>
    "shared.ts" in manifest.assets[name]!.sources
  );
  assert.equal(owners.length, 1);
  assert.ok(first.includes(owners[0]!));
  assert.equal(first.length, 3, "React, the client's entry, and what it is made of");
});

Deno.test("CommonJS module in browser code → build error", async () => {
  await using site = await copiedSite();
  await Deno.writeTextFile(`${site.root}/old.cjs`, "exports.old = 1;\n");
  await Deno.writeTextFile(
    `${site.root}/later.ts`,
    'import { old } from "./old.cjs";\nexport const later = () => self.alert(old);\n',
  );
  await assert.rejects(site.build(), /imports old\.cjs, which is CommonJS/);
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

Deno.test("script in a page → build error", async () => {
  await using site = await copiedSite();
  const framework = new URL("../page.tsx", import.meta.url);
  await Deno.writeTextFile(
    `${site.root}/routes/about.tsx`,
    `import { InlineScript } from "${framework}";\n` +
      'export const variants = ["one"];\n' +
      'export default () => <InlineScript code="self.ran = true" />;\n',
  );
  await assert.rejects(
    site.build(),
    /A page cannot contain a script: put it into routes\/_app\.tsx/,
  );
});

Deno.test("script → compiled while it is loaded: the hint is its first line", async () => {
  for (const [name, { kind }] of Object.entries(manifest.assets)) {
    if (kind === "extra") continue;
    assert.match(await read(`assets/${name}`), /^\/\/# allFunctionsCalledOnLoad\n/, name);
  }
});

Deno.test("asset → source map in maps/, no sourceMappingURL in the asset", async () => {
  for (const [name, asset] of Object.entries(manifest.assets)) {
    assert.doesNotMatch(await read(`assets/${name}`), /sourceMappingURL/);
    if (asset.kind === "extra") continue;
    const map = JSON.parse(await read(`maps/${name}.map`));
    assert.equal(map.version, 3);
  }
});

Deno.test("sizes in the manifest → sizes of the files and their compressed variants", async () => {
  for (const [name, asset] of Object.entries(manifest.assets)) {
    const fileSize = async (extension: string) =>
      (await Deno.stat(`${fixture.out}/assets/${name}${extension}`)).size;
    assert.equal(await fileSize(""), asset.bytes);
    if (asset.gzip !== undefined) assert.equal(await fileSize(".gz"), asset.gzip);
    if (asset.brotli !== undefined) assert.equal(await fileSize(".br"), asset.brotli);
  }
});

Deno.test("style sheet → inlined with its imports, no separate file", async () => {
  const html = await read(`pages/${page("/", "one").file}`);
  assert.ok(html.includes("<style data-static>label{margin:0}body{color:red}</style>"));
  assert.equal(manifest.statics["/page.css"], undefined);
  assert.match(await read("inputs.json"), /"components\/label\.css"/);
});

Deno.test("development build → reload script with a debug id, reload stream", async () => {
  await using dev = await Fixture.build({ dev: true });
  const [reload] = Object.values(dev.report.manifest.assets).filter(({ kind }) =>
    kind === "reload"
  );
  assert.ok(reload?.debugId);
  const app = await dev.app();
  const stream = await app.handler(new Request("http://localhost/_reload"));
  assert.equal(stream.headers.get("Content-Type"), "text/event-stream");
  app.close();
  assert.match(await stream.text(), new RegExp(`^retry: \\d+\\ndata: ${app.buildId}-`));
});

Deno.test("production build → no reload script", () => {
  assert.equal(manifest.dev, false);
  assert.deepEqual(assetsOf("reload"), []);
});

Deno.test("build fails → error with its position, the last build is unchanged", async () => {
  await using site = await copiedSite();
  await site.build();
  const before = snapshot(`${site.root}/.build`);
  await Deno.writeTextFile(`${site.root}/later.ts`, "export const later = (;\n");
  await assert.rejects(site.build(), ({ errors: [message] }: BuildFailure) => {
    assert.deepEqual([message?.location?.file, message?.location?.line], ["later.ts", 1]);
    return true;
  });
  assert.deepEqual(snapshot(`${site.root}/.build`), before);
});

Deno.test("source changed → another build id", async () => {
  await using site = await copiedSite();
  const first = await site.build();
  const same = await site.build();
  assert.equal(same.manifest.buildId, first.manifest.buildId);
  await Deno.writeTextFile(`${site.root}/later.ts`, "export const later = String;\n");
  const changed = await site.build();
  assert.notEqual(changed.manifest.buildId, first.manifest.buildId);
});

Deno.test("import that is not in the import map → build error", async () => {
  await using site = await copiedSite();
  await Deno.writeTextFile(`${site.root}/later.ts`, 'import "react/compiler-runtime";\n');
  await assert.rejects(
    site.build(),
    /imports "react\/compiler-runtime", which is not in the import map/,
  );
});
