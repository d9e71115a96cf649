import { fileURLToPath } from "node:url";

/** Absolute path of the project's folder, without a slash at its end. */
export const projectRoot: string = fileURLToPath(new URL("..", import.meta.url))
  .replace(/[\\/]$/, "");

const SKIPPED = new Set(["node_modules", "test-results"]);

/** Sorted paths, relative to `root`, of files with one of these endings, without hidden folders (`.git`, `.build`). */
export function projectFiles(root: string, endings: readonly string[]): string[] {
  const found: string[] = [];
  const walk = (folder: string) => {
    for (const entry of Deno.readDirSync(`${root}/${folder}`)) {
      if (entry.name.startsWith(".") || SKIPPED.has(entry.name)) continue;
      const path = folder + entry.name;
      if (entry.isDirectory) walk(`${path}/`);
      else if (endings.some((ending) => path.endsWith(ending))) found.push(path);
    }
  };
  walk("");
  return found.sort();
}
