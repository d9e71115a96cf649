import { existsSync, readdirSync } from "node:fs";
import { basename } from "node:path";

/** A project's files by their role. Paths are relative to the root, with `/`. */
export interface Project {
  readonly pages: readonly { readonly path: string; readonly module: string }[];
  readonly islands: readonly { readonly name: string; readonly module: string }[];
  /** Files that are served unchanged. */
  readonly statics: readonly { readonly path: string; readonly file: string }[];
}

/** Folders whose file names matter: an added or removed file makes another build. */
const SCANNED_FOLDERS = ["routes", "islands", "static"];

/** The document around every page. */
export const APP = "routes/_app.tsx";
/** The error pages. */
export const NOT_FOUND = "routes/_404.tsx";
export const SERVER_ERROR = "routes/_500.tsx";
/** The style sheet that is inlined into every page. */
export const STYLE = "static/page.css";
/** The style sheet that every page loads after its first paint. Optional. */
export const LATER_STYLE = "static/later.css";

/** Lists all files in the scanned folders that exist, sorted. */
export function listFiles(root: string): string[] {
  return SCANNED_FOLDERS.map((folder) => `${root}/${folder}`).filter(existsSync)
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map(({ parentPath, name }) =>
      `${parentPath}/${name}`.slice(root.length + 1).replaceAll("\\", "/")
    )
    .sort();
}

/**
 * Classifies a project's files by their path, and islands by their default export: other files in
 * `islands/` are parts of them.
 *
 * @throws {Error} two islands have the same name
 */
export function scanProject(root: string, files: readonly string[] = listFiles(root)): Project {
  const under = (folder: string, pattern: RegExp) =>
    files.filter((file) => file.startsWith(folder) && pattern.test(basename(file)));
  const islands = under("islands/", /(?<!_test)\.tsx$/).filter((file) => isIsland(root, file))
    .map((module) => ({ name: basename(module, ".tsx"), module }));
  for (const { name, module } of islands) {
    const other = islands.find((island) => island.name === name && island.module !== module);
    if (other) throw new Error(`${other.module} and ${module} have the same name.`);
  }
  return {
    pages: under("routes/", /^(?!_).*(?<!_test)\.tsx$/).map((module) => ({
      path: routePath(module.slice("routes".length)),
      module,
    })),
    islands,
    statics: files.filter((file) =>
      file.startsWith("static/") && ![STYLE, LATER_STYLE].includes(file)
    )
      .map((file) => ({ path: encodeURI(file.slice("static".length)), file })),
  };
}

function isIsland(root: string, file: string): boolean {
  return /^export default /m.test(Deno.readTextFileSync(`${root}/${file}`));
}

/** `/a/index.tsx` → `/a`, `/a/b.tsx` → `/a/b`. */
function routePath(file: string): string {
  return file.replace(/\.tsx$/, "").replace(/\/index$/, "") || "/";
}
