import { join, resolve } from "node:path";

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * The commit that is checked out in `root`, read from git's own files, so that git need not be run
 * or be there. Undefined outside a repository, and before the first commit.
 */
export function readCommit(root: string): string | undefined {
  const folder = gitFolder(root);
  if (folder === undefined) return undefined;
  const head = readText(join(folder, "HEAD"));
  if (head === undefined || COMMIT.test(head)) return head;
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (ref === undefined) return undefined;
  // A worktree has a HEAD of its own; branches are in the repository that it belongs to.
  const common = resolve(folder, readText(join(folder, "commondir")) ?? ".");
  const loose = readText(join(common, ref));
  const commit = loose ?? packedRef(readText(join(common, "packed-refs")) ?? "", ref);
  return commit !== undefined && COMMIT.test(commit) ? commit : undefined;
}

/** `.git` is a folder, or in a worktree or submodule a file that names one. */
function gitFolder(root: string): string | undefined {
  const path = join(root, ".git");
  try {
    if (Deno.statSync(path).isDirectory) return path;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  const target = /^gitdir: (.+)$/.exec(readText(path) ?? "")?.[1];
  return target === undefined ? undefined : resolve(root, target);
}

/**
 * One line for each ref: `COMMIT REF`; comments and the targets of tags (`^COMMIT`) between them.
 */
function packedRef(text: string, ref: string): string | undefined {
  for (const line of text.split("\n")) {
    const [commit, name] = line.trim().split(" ");
    if (name === ref) return commit;
  }
  return undefined;
}

function readText(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
