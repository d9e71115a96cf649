import assert from "node:assert/strict";
import { SITE } from "../testdata/fixture.ts";
import { scanProject } from "./scan.ts";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";

const paths = (found: readonly { path: string }[]) => found.map(({ path }) => path);

Deno.test("files → pages, islands, statics by their path", () => {
  const project = scanProject(SITE);
  assert.deepEqual(paths(project.pages), ["/about", "/", "/long"]);
  assert.deepEqual(project.islands.map(({ name }) => name), [
    "Counter",
    "Field",
    "Plain",
    "Unused",
  ]);
  assert.deepEqual(paths(project.statics), ["/icon.svg", "/note.txt"]);
});

Deno.test("tests, code and files whose name begins with _ → no pages", () => {
  const project = scanProject("/nowhere", [
    "islands/A_test.tsx",
    "islands/helper.ts",
    "routes/_app.tsx",
    "routes/a/_helper.tsx",
    "routes/a/index.tsx",
    "routes/b.ts",
    "routes/a_test.tsx",
    "static/a b/ü.txt",
  ]);
  assert.deepEqual(paths(project.pages), ["/a"]);
  assert.deepEqual(project.islands, []);
  assert.deepEqual(paths(project.statics), ["/a%20b/%C3%BC.txt"]);
});

Deno.test("islands → files with a default export; a second one of a name → error", async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  await Deno.mkdir(`${root}/islands/b`, { recursive: true });
  const island = (file: string) => Deno.writeTextFile(file, "export default function A() {}\n");
  await island(`${root}/islands/A.tsx`);
  await Deno.writeTextFile(`${root}/islands/b/Part.tsx`, "export function Part() {}\n");
  assert.deepEqual(scanProject(root).islands, [{ name: "A", module: "islands/A.tsx" }]);
  await island(`${root}/islands/b/A.tsx`);
  assert.throws(() => scanProject(root), /have the same name/);
});
