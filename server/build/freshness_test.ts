import assert from "node:assert/strict";
import { MANIFEST_VERSION } from "../manifest.ts";
import { inputsOf, isFresh } from "./freshness.ts";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";

const FILES = {
  "deno.json": "{}",
  "deno.lock": "{}",
  "routes/index.tsx": "export {}",
  "static/a.txt": "a",
  "lib/used.ts": "export {}",
  "lib/other.ts": "export {}",
};

/** Its static files. */
const STATICS = ["static/a.txt"];

/** Seconds since 1970, so that no test depends on the resolution of the file system's clock. */
const BEFORE = 1_000;
const BUILT_AT = 2_000;
const AFTER = 3_000;

async function write(root: string, file: string, text: string): Promise<void> {
  await Deno.mkdir(`${root}/${file}`.replace(/\/[^/]*$/, ""), { recursive: true });
  await Deno.writeTextFile(`${root}/${file}`, text);
}

const touch = (file: string, time: number) => (root: string) =>
  Deno.utime(`${root}/${file}`, time, time);
const replace = (file: string, text: string) => (root: string) => write(root, file, text);

/** What happens to a project after its build from `routes/index.tsx` and `lib/used.ts`, and whether that is fresh then. */
const CASES: [name: string, change: (root: string) => Promise<void>, fresh: boolean][] = [
  ["nothing changed", () => Promise.resolve(), true],
  ["file changed that the build does not read", replace("lib/other.ts", "changed"), true],
  ["file added that the build does not read", replace("lib/new.ts", "new"), true],
  ["source newer", touch("lib/used.ts", AFTER), false],
  ["source changed while the build ran", touch("lib/used.ts", BUILT_AT), false],
  ["static file newer", touch("static/a.txt", AFTER), false],
  ["deno.json newer", touch("deno.json", AFTER), false],
  ["deno.lock newer", touch("deno.lock", AFTER), false],
  ["static file added", replace("static/new.txt", "new"), false],
  ["input removed", (root) => Deno.remove(`${root}/lib/used.ts`), false],
  ["manifest unreadable", replace(".build/manifest.json", '{"dev":false,"inp'), false],
  [
    "manifest of another version",
    replace(".build/manifest.json", '{"version":1,"dev":false,"inputs":[]}'),
    false,
  ],
  ["no build", (root) => Deno.remove(`${root}/.build`, { recursive: true }), false],
];
for (const [name, change, fresh] of CASES) {
  Deno.test(`${name} → ${fresh ? "fresh" : "not fresh"}`, async () => {
    using folder = temporaryFolder();
    const root = folder.path;
    for (const [file, text] of Object.entries(FILES)) await write(root, file, text);
    const paths = [...Object.keys(FILES), "routes", "static", "lib"];
    for (const path of paths) await touch(path, BEFORE)(root);
    const read = ["routes/index.tsx", "lib/used.ts", "static/a.txt", "node_modules/x.js", "map:y"];
    const manifest = { version: MANIFEST_VERSION, dev: false, inputs: inputsOf(read, STATICS) };
    await write(root, ".build/manifest.json", JSON.stringify(manifest));
    await touch(".build/manifest.json", BUILT_AT)(root);
    await change(root);
    assert.equal(await isFresh(root, { dev: false }), fresh);
    assert.equal(await isFresh(root, { dev: true }), false, "of the other kind");
  });
}
