import assert from "node:assert/strict";
import { isFresh, recordInputs } from "./inputs.ts";
import { temporaryFolder } from "../../tests/temporary_folder.ts";

const FILES = {
  "deno.json": "{}",
  "deno.lock": "{}",
  "routes/index.tsx": "export {}",
  "islands/A.tsx": "export {}",
  "static/a.txt": "a",
  "lib/used.ts": "export {}",
  "lib/other.ts": "export {}",
};

/** A project built an hour after its files were written, from `routes/index.tsx` and `lib/used.ts`. */
async function project(check: (root: string, fresh: () => Promise<boolean>) => Promise<void>) {
  using folder = temporaryFolder();
  const root = folder.path;
  for (const [file, text] of Object.entries(FILES)) await write(root, file, text);
  const inputs = ["routes/index.tsx", "lib/used.ts", "static/a.txt", "node_modules/x/index.js"];
  await write(root, ".build/manifest.json", "{}");
  await write(
    root,
    ".build/inputs.json",
    await recordInputs({ root, dev: false }, inputs, Date.now() + 3_600_000),
  );
  assert.equal(await isFresh({ root, dev: false }), true);
  await check(root, () => isFresh({ root, dev: false }));
}

async function write(root: string, file: string, text: string): Promise<void> {
  await Deno.mkdir(`${root}/${file}`.replace(/\/[^/]*$/, ""), { recursive: true });
  await Deno.writeTextFile(`${root}/${file}`, text);
}

Deno.test("input changed → not fresh; only touched → fresh", async () => {
  await project(async (root, fresh) => {
    await Deno.utime(`${root}/lib/used.ts`, 1, 1);
    assert.equal(await fresh(), true);
    for (const file of ["lib/used.ts", "static/a.txt", "deno.json", "deno.lock"]) {
      const { length } = FILES[file as keyof typeof FILES];
      await write(root, file, "x".repeat(length));
      assert.equal(await fresh(), false, file);
      await write(root, file, FILES[file as keyof typeof FILES]);
      assert.equal(await fresh(), true, file);
    }
    await Deno.remove(`${root}/lib/used.ts`);
    assert.equal(await fresh(), false);
  });
});

Deno.test("file that the build did not read → fresh", async () => {
  await project(async (root, fresh) => {
    await write(root, "lib/other.ts", "changed");
    await write(root, "lib/new.ts", "new");
    assert.equal(await fresh(), true);
  });
});

Deno.test("file added to or removed from a scanned folder → not fresh", async () => {
  for (const file of ["routes/new.ts", "islands/New.tsx", "static/deep/new.txt"]) {
    await project(async (root, fresh) => {
      await write(root, file, "new");
      assert.equal(await fresh(), false, file);
      await Deno.remove(`${root}/${file}`);
      assert.equal(await fresh(), true, file);
    });
  }
  await project(async (root, fresh) => {
    await Deno.remove(`${root}/islands/A.tsx`);
    assert.equal(await fresh(), false);
  });
});

Deno.test("development build → not fresh for a normal one", async () => {
  await project(async (root) => {
    assert.equal(await isFresh({ root, dev: true }), false);
  });
});

Deno.test("incomplete or missing build → not fresh", async () => {
  await project(async (root, fresh) => {
    await write(root, ".build/inputs.json", '{"version":1,"ke');
    assert.equal(await fresh(), false);
    await write(root, ".build/inputs.json", '{"version":0,"dev":false}');
    assert.equal(await fresh(), false);
    await Deno.remove(`${root}/.build`, { recursive: true });
    assert.equal(await fresh(), false);
  });
});

Deno.test("file changed during the build → not fresh", async () => {
  await project(async (root, fresh) => {
    const startedAt = Date.now() - 1000;
    await write(root, "lib/used.ts", "changed meanwhile");
    const record = await recordInputs({ root, dev: false }, ["lib/used.ts"], startedAt);
    await write(root, ".build/inputs.json", record);
    assert.equal(await fresh(), false);
  });
});
