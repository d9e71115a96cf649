import assert from "node:assert/strict";
import { join } from "node:path";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";
import { BallastFile } from "./ballast_file.ts";

const MODULE = new URL("./ballast_file.ts", import.meta.url).href;

Deno.test("several processes create it at the same time → each has it, nothing else is left", async () => {
  for (let round = 0; round < 3; round++) {
    using folder = temporaryFolder();
    const path = join(folder.path, "x.reserve");
    const code = `import { BallastFile } from ${JSON.stringify(MODULE)};` +
      `const ballast = new BallastFile(${JSON.stringify(path)});` +
      // All begin in the same tenth of a second.
      "await new Promise((begin) => setTimeout(begin, 100 - Date.now() % 100));" +
      "const found = Array.from({ length: 20 }, () => ballast.exists());" +
      'console.log(found.every(Boolean) ? "present" : "missing");';
    const outputs = await Promise.all(Array.from({ length: 4 }, async () => {
      const child = new Deno.Command(Deno.execPath(), { args: ["eval", code], stderr: "inherit" });
      return new TextDecoder().decode((await child.output()).stdout).trim();
    }));
    assert.deepEqual(outputs, Array(4).fill("present"));
    assert.deepEqual([...Deno.readDirSync(folder.path)].map(({ name }) => name), ["x.reserve"]);
  }
});

Deno.test("removed → room is made before it is created again, not at other times", () => {
  using folder = temporaryFolder();
  const made: boolean[] = [];
  const path = join(folder.path, "x.reserve");
  const isThere = () => [...Deno.readDirSync(folder.path)].length > 0;
  const ballast = new BallastFile(path, () => made.push(isThere()));
  assert.equal(ballast.exists(), true);
  ballast.remove();
  assert.equal(ballast.exists(), false, "just removed: the disk is full");
  ballast.retry();
  assert.equal(ballast.exists(), true);
  assert.equal(ballast.exists(), true);
  assert.deepEqual(made, [false]);
});
