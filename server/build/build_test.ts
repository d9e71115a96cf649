import { copiedSite, Fixture, SITE, SITE_OPTIONS } from "../testdata/fixture.ts";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { BuildFailure } from "esbuild";
import { build, type BuildReport } from "./build.ts";

/**
 * Most gzip bytes of the scripts of `server/client/` that a page needs at first, with the three small islands of this
 * site, which are in the same file.
 */
const CLIENT_GZIP_BYTES = 2_600;

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

Deno.test("islands that pages load first → in the client's file, each other one in its own", () => {
  const first = Object.keys(clientAsset?.sources ?? {}).filter((file) =>
    file.startsWith("islands/")
  );
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
    asset.entryPoints.includes("later.ts")
  );
  assert.ok(later && !page("/", "one").assets.includes(later[0]));
  assert.ok(clientAsset?.dynamicImports.includes(later[0]));
});

const GROUP = ["later.ts", "islands/Folded.tsx"];

/** A site in which another entry point, `more.ts`, uses code of the group. `later.ts` exports it as `name`. */
async function buildSharingSite(root: string, name: string): Promise<BuildReport> {
  const write = (file: string, text: string) => Deno.writeTextFile(`${root}/${file}`, text);
  await write("code.ts", "export const code = (text: string) => self.alert(text);\n");
  await write("later.ts", `export { code as ${name} } from "./code.ts";\n`);
  await write(
    "more.ts",
    'import { code } from "./code.ts";\nexport const more = () => code("");\n',
  );
  await write(
    "islands/Plain.tsx",
    'export default () => <button onClick={() => import("../more.ts")}>More</button>;\n',
  );
  const client = await Deno.readTextFile(`${root}/client.ts`);
  await write("client.ts", client.replaceAll(/\b(?:later|after)\b(?!\.ts)/g, name));
  return await build({ root, ...SITE_OPTIONS, browser: { together: [GROUP] } });
}

Deno.test("modules that are loaded together → one file; none that only re-exports", async () => {
  await using site = await copiedSite();
  const { manifest: { assets } } = await buildSharingSite(site.root, "later");
  const fileOf = (source: string) =>
    Object.keys(assets).filter((name) => assets[name]?.entryPoints.includes(source));
  const [file = ""] = fileOf("later.ts");
  assert.deepEqual(assets[file]?.entryPoints, GROUP);
  assert.deepEqual(fileOf("islands/Folded.tsx"), [file]);
  assert.ok("code.ts" in assets[file]!.sources, "its own code");
  const [[client = ""] = []] = Object.entries(assets).filter(([, { kind }]) => kind === "client");
  assert.ok(assets[client]?.dynamicImports.includes(file));
  const [more = ""] = fileOf("more.ts");
  assert.ok(assets[more]?.imports.includes(file));
});

Deno.test("export of a merged module renamed → no script keeps its name with other bytes", async () => {
  await using site = await copiedSite();
  await buildSharingSite(site.root, "later");
  const before = snapshot(`${site.root}/.build/assets`);
  await buildSharingSite(site.root, "after");
  const after = snapshot(`${site.root}/.build/assets`);
  const kept = Object.keys(after).filter((name) => name in before);
  assert.deepEqual(kept.filter((name) => before[name] !== after[name]), []);
});

Deno.test("modules that export the same name together → build error that names both", async () => {
  await using site = await copiedSite();
  await Deno.writeTextFile(`${site.root}/later.ts`, "export default () => {};\n");
  await Deno.writeTextFile(
    `${site.root}/client.ts`,
    'import("./later.ts");\n' +
      await Deno.readTextFile(`${site.root}/client.ts`),
  );
  await assert.rejects(
    site.build({ browser: { together: [["later.ts", "islands/Folded.tsx"]] } }),
    /Cannot merge later\.ts and islands\/Folded\.tsx: both export default/,
  );
});

Deno.test("client code of the kernel → within its budget, navigation in a later chunk", () => {
  const gzip = clientAsset?.gzip ?? Infinity;
  assert.ok(gzip <= CLIENT_GZIP_BYTES, `${gzip} bytes`);
  const navigation = Object.values(manifest.assets).find(({ sources }) =>
    Object.keys(sources).some((source) => source.endsWith("client/replace_page.ts"))
  );
  assert.equal(navigation?.kind, "chunk");
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
  const [dataHtml, pageHtml] = await Promise.all([read(`pages/${data}`), read(`pages/${file}`)]);
  assert.match(
    dataHtml,
    /^<!DOCTYPE html><html lang="en" data-variant="one"><head><meta charset="utf-8"\/><title>About<\/title><\/head><body><div data-page="[^"]+"><main>/,
  );
  assert.match(dataHtml, /<\/main><\/div><\/body><\/html>$/);
  assert.ok(dataHtml.includes('data-island-props>{"start":7,"label":"about"}</script>'));
  assert.doesNotMatch(dataHtml, /<style|<link|importmap|noscript|src=|data-announcer|id="client"/);
  assert.match(pageHtml, /noscript/);
  assert.doesNotMatch(pageHtml, /data-page-end/);
  // Error pages cannot be navigated to.
  assert.equal(page("404", "one").data, undefined);
});

Deno.test("script in a page → build error", async () => {
  await using site = await copiedSite();
  const kernel = new URL("../page.tsx", import.meta.url);
  await Deno.writeTextFile(
    `${site.root}/routes/about.tsx`,
    `import { InlineScript } from "${kernel}";\n` +
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
