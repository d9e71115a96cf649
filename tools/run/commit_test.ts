import assert from "node:assert/strict";
import { readCommit } from "./commit.ts";

const A = "a".repeat(40);
const B = "b".repeat(40);

/** A folder with these files, and the result of `readCommit` for `root` in it. */
async function commitIn(files: Record<string, string>, root = "."): Promise<string | undefined> {
  const folder = await Deno.makeTempDir({ prefix: "commit-" });
  try {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(`${folder}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(`${folder}/${path}`, text);
    }
    return readCommit(`${folder}/${root}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("branch, packed branch or detached HEAD → its commit", async () => {
  const head = { ".git/HEAD": "ref: refs/heads/x/y\n" };
  const packed = `# pack-refs with: peeled\n${B} refs/heads/x\n${A} refs/heads/x/y\n^${B}\n`;
  assert.equal(await commitIn({ ...head, ".git/refs/heads/x/y": `${A}\n` }), A);
  assert.equal(await commitIn({ ...head, ".git/packed-refs": packed }), A);
  assert.equal(
    await commitIn({ ...head, ".git/refs/heads/x/y": `${B}\n`, ".git/packed-refs": packed }),
    B,
    "a loose ref is newer than a packed one",
  );
  assert.equal(await commitIn({ ".git/HEAD": `${A}\n` }), A);
});

Deno.test("worktree → its own HEAD, the branches of the repository", async () => {
  const files = {
    "main/.git/HEAD": "ref: refs/heads/main\n",
    "main/.git/refs/heads/main": `${A}\n`,
    "main/.git/refs/heads/side": `${B}\n`,
    "main/.git/worktrees/side/HEAD": "ref: refs/heads/side\n",
    "main/.git/worktrees/side/commondir": "../..\n",
    "side/.git": "gitdir: ../main/.git/worktrees/side\n",
  };
  assert.equal(await commitIn(files, "side"), B);
  assert.equal(await commitIn(files, "main"), A);
});

Deno.test("no repository, no commit or invalid files → undefined", async () => {
  assert.equal(await commitIn({ "file.txt": "" }), undefined);
  assert.equal(await commitIn({ ".git/HEAD": "ref: refs/heads/main\n" }), undefined);
  assert.equal(await commitIn({ ".git/HEAD": "ref: ../../etc/passwd\n" }), undefined);
  assert.equal(await commitIn({ ".git/HEAD": "nonsense\n" }), undefined);
  const broken = { ".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": "nonsense\n" };
  assert.equal(await commitIn(broken), undefined);
});
