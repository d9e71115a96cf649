import { join, resolve } from "node:path";
import { ifFound } from "../../server/if_found.ts";

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * Reads the checked-out commit of `root` from git's files, without running git.
 *
 * @returns undefined outside a repository, and before the first commit
 */
export function readCommit(root: string): string | undefined {
  const folder = gitFolder(root);
  if (folder === undefined) return undefined;
  const head = readText(join(folder, "HEAD"));
  if (head === undefined || COMMIT.test(head)) return head;
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (ref === undefined) return undefined;
  // A worktree has its own HEAD; its branches are in the main repository.
  const common = resolve(folder, readText(join(folder, "commondir")) ?? ".");
  const loose = readText(join(common, ref));
  const commit = loose ?? packedRef(readText(join(common, "packed-refs")) ?? "", ref);
  return commit !== undefined && COMMIT.test(commit) ? commit : undefined;
}

/** `.git` is a folder; in a worktree or submodule it is a file with the path of one. */
function gitFolder(root: string): string | undefined {
  const path = join(root, ".git");
  if (ifFound(() => Deno.statSync(path))?.isDirectory) return path;
  const target = /^gitdir: (.+)$/.exec(readText(path) ?? "")?.[1];
  return target === undefined ? undefined : resolve(root, target);
}

/** Lines are `COMMIT REF`, comments, or the commit of an annotated tag (`^COMMIT`). */
function packedRef(text: string, ref: string): string | undefined {
  for (const line of text.split("\n")) {
    const [commit, name] = line.trim().split(" ");
    if (name === ref) return commit;
  }
  return undefined;
}

function readText(path: string): string | undefined {
  return ifFound(() => Deno.readTextFileSync(path).trim());
}
