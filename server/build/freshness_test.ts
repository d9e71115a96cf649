import assert from "node:assert/strict";
import { MANIFEST_VERSION } from "../manifest.ts";
import { inputsOf, isFresh } from "./freshness.ts";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";

const FILES = {
  "deno.json": "{}",
  "deno.lock": "{}",
  "routes/index.tsx": "export {}",
  "islands/b/A.tsx": "export {}",
  "static/a.txt": "a",
  "lib/used.ts": "export {}",
  "lib/other.ts": "export {}",
};

/** Its files in the scanned folders. */
const SCANNED = ["routes/index.tsx", "islands/b/A.tsx", "static/a.txt"];

/** Seconds since 1970, so that no test depends on the resolution of the file system's clock. */
const BEFORE = 1_000;
const BUILT_AT = 2_000;
const AFTER = 3_000;

/** A project that was built from `routes/index.tsx` and `lib/used.ts` after its last change. */
async function project(check: (root: string, fresh: () => Promise<boolean>) => Promise<void>) {
  using folder = temporaryFolder();
  const root = folder.path;
  for (const [file, text] of Object.entries(FILES)) await write(root, file, text);
  const paths = [...Object.keys(FILES), "routes", "islands", "islands/b", "static", "lib"];
  for (const path of paths) await Deno.utime(`${root}/${path}`, BEFORE, BEFORE);
  const inputs = [
    "routes/index.tsx",
    "lib/used.ts",
    "static/a.txt",
    "node_modules/x/index.js",
    "plugin:y",
  ];
  const manifest = { version: MANIFEST_VERSION, dev: false, inputs: inputsOf(inputs, SCANNED) };
  await write(root, ".build/manifest.json", JSON.stringify(manifest));
  await Deno.utime(`${root}/.build/manifest.json`, BUILT_AT, BUILT_AT);
  const fresh = () => isFresh(root, { dev: false });
  assert.equal(await fresh(), true);
  await check(root, fresh);
}

async function write(root: string, file: string, text: string): Promise<void> {
  await Deno.mkdir(`${root}/${file}`.replace(/\/[^/]*$/, ""), { recursive: true });
  await Deno.writeTextFile(`${root}/${file}`, text);
}

Deno.test("input newer than the build → not fresh", async () => {
  await project(async (root, fresh) => {
    for (const file of ["lib/used.ts", "static/a.txt", "deno.json", "deno.lock"]) {
      await Deno.utime(`${root}/${file}`, AFTER, AFTER);
      assert.equal(await fresh(), false, file);
      await Deno.utime(`${root}/${file}`, BEFORE, BEFORE);
      assert.equal(await fresh(), true, file);
    }
  });
});

Deno.test("input changed while the build ran → not fresh", async () => {
  await project(async (root, fresh) => {
    await Deno.utime(`${root}/lib/used.ts`, BUILT_AT, BUILT_AT);
    assert.equal(await fresh(), false);
  });
});

Deno.test("file that the build does not read → still fresh", async () => {
  await project(async (root, fresh) => {
    await write(root, "lib/other.ts", "changed");
    await write(root, "lib/new.ts", "new");
    assert.equal(await fresh(), true);
  });
});

for (const file of ["routes/new.tsx", "islands/b/New.tsx", "static/new.txt"]) {
  Deno.test(`${file} added → not fresh`, async () => {
    await project(async (root, fresh) => {
      await write(root, file, "new");
      assert.equal(await fresh(), false);
    });
  });
}

Deno.test("input removed → not fresh", async () => {
  await project(async (root, fresh) => {
    await Deno.remove(`${root}/lib/used.ts`);
    assert.equal(await fresh(), false);
  });
});

Deno.test("no build, an unreadable one, or one of the other kind → not fresh", async () => {
  await project(async (root, fresh) => {
    assert.equal(await isFresh(root, { dev: true }), false);
    for (const text of ['{"dev":false,"inp', '{"version":1,"dev":false,"inputs":[]}']) {
      await write(root, ".build/manifest.json", text);
      assert.equal(await fresh(), false, text);
    }
    await Deno.remove(`${root}/.build`, { recursive: true });
    assert.equal(await fresh(), false);
  });
});
