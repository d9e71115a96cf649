import { join } from "node:path";
import { ifFound } from "../../server/if_found.ts";

/**
 * Reads the checked-out commit of `root` from git's files, without running git, which may not be installed.
 *
 * @returns undefined outside a repository, before the first commit, and in a worktree or submodule
 */
export function readCommit(root: string): string | undefined {
  const read = (path: string) => ifFound(() => Deno.readTextFileSync(join(root, ".git", path)));
  const head = read("HEAD")?.trim() ?? "";
  const ref = /^ref: (refs\/[^.]\S*)$/.exec(head)?.[1];
  // `packed-refs` has lines of `COMMIT REF`, comments, and `^COMMIT`: that of an annotated tag.
  const packed = () => read("packed-refs")?.split("\n").find((line) => line.endsWith(` ${ref}`));
  const commit = ref === undefined ? head : read(ref) ?? packed() ?? "";
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?\b/.exec(commit)?.[0];
}
