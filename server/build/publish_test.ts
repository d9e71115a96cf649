import assert from "node:assert/strict";
import { publish } from "./publish.ts";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";

const names = (folder: string) => Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();

Deno.test("publish → replaces the last build as a whole", async () => {
  using folder = temporaryFolder();
  const out = `${folder.path}/.build`;
  await publish(out, [{ path: "a/old.txt", contents: "old" }]);
  await publish(out, [{ path: "b/new.txt", contents: new TextEncoder().encode("new") }]);
  assert.deepEqual(names(out), ["b"]);
  assert.equal(await Deno.readTextFile(`${out}/b/new.txt`), "new");
  assert.deepEqual(names(folder.path), [".build"]);
});

Deno.test("writing fails → the last build is unchanged, no files left", async () => {
  using folder = temporaryFolder();
  const out = `${folder.path}/.build`;
  await publish(out, [{ path: "a.txt", contents: "good" }]);
  // A file cannot be a folder too.
  const impossible = [{ path: "x", contents: "" }, { path: "x/y", contents: "" }];
  await assert.rejects(publish(out, impossible));
  assert.equal(await Deno.readTextFile(`${out}/a.txt`), "good");
  assert.deepEqual(names(folder.path), [".build"]);
});

Deno.test("many builds at once → one of them, complete", async () => {
  using folder = temporaryFolder();
  const out = `${folder.path}/.build`;
  await Promise.all(
    Array.from({ length: 12 }, (_, build) =>
      publish(
        out,
        Array.from({ length: 8 }, (_, file) => ({
          path: `${file}.txt`,
          contents: String(build),
        })),
      )),
  );
  assert.deepEqual(names(folder.path), [".build"]);
  const files = names(out);
  assert.equal(files.length, 8);
  const builds = files.map((file) => Deno.readTextFileSync(`${out}/${file}`));
  assert.equal(new Set(builds).size, 1);
});
