import assert from "node:assert/strict";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";
import { readCommit } from "./processes.ts";

const A = "a".repeat(40);
const B = "b".repeat(40);

Deno.test("files of git → the commit that is checked out, or undefined", async () => {
  const head = { HEAD: "ref: refs/heads/x/y\n" };
  const packed = `# pack-refs with: peeled\n${B} refs/heads/x\n${A} refs/heads/x/y\n^${B}\n`;
  const cases: [name: string, files: Record<string, string>, commit: string | undefined][] = [
    ["branch", { ...head, "refs/heads/x/y": `${A}\n` }, A],
    ["packed branch", { ...head, "packed-refs": packed }, A],
    ["newer than packed", { ...head, "refs/heads/x/y": `${B}\n`, "packed-refs": packed }, B],
    ["detached", { HEAD: `${A}\n` }, A],
    ["no repository", {}, undefined],
    ["no commit", head, undefined],
    ["path out of the folder", { HEAD: "ref: ../../etc/passwd\n" }, undefined],
    ["nonsense", { HEAD: "nonsense\n" }, undefined],
    ["nonsense in the branch", { ...head, "refs/heads/x/y": "nonsense\n" }, undefined],
  ];
  for (const [name, files, commit] of cases) {
    using folder = temporaryFolder();
    for (const [path, text] of Object.entries(files)) {
      const file = `${folder.path}/.git/${path}`;
      await Deno.mkdir(file.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(file, text);
    }
    assert.equal(readCommit(folder.path), commit, name);
  }
});
