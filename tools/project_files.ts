import { fileURLToPath } from "node:url";

/** Absolute path of the project's folder, without a slash at its end. */
export const projectRoot: string = fileURLToPath(new URL("..", import.meta.url))
  .replace(/[\\/]$/, "");

const SKIPPED = new Set(["node_modules", "test-results"]);

/** Sorted paths, relative to `root`, of files with one of these endings, without hidden folders (`.git`, `.build`). */
export function projectFiles(root: string, endings: readonly string[], folder = ""): string[] {
  return [...Deno.readDirSync(`${root}/${folder}`)].flatMap(({ name, isDirectory }) => {
    if (name.startsWith(".") || SKIPPED.has(name)) return [];
    if (isDirectory) return projectFiles(root, endings, `${folder}${name}/`);
    return endings.some((ending) => name.endsWith(ending)) ? [folder + name] : [];
  }).sort();
}
