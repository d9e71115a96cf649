import { ifFound } from "../if_found.ts";
import { BuildError } from "./build_error.ts";

/** A project's files by their role. Paths are relative to the root, with `/`. */
export interface Project {
  readonly pages: readonly { readonly path: string; readonly module: string }[];
  readonly islands: readonly { readonly name: string; readonly module: string }[];
  /** Files that are served unchanged. */
  readonly statics: readonly { readonly path: string; readonly file: string }[];
}

/** Folders whose file names matter: an added or removed file makes another build. */
const SCANNED_FOLDERS = ["routes", "islands", "static"] as const;

/** The document around every page. */
export const APP = "routes/_app.tsx";
/** The error pages. */
export const NOT_FOUND = "routes/_404.tsx";
export const SERVER_ERROR = "routes/_500.tsx";
/** The style sheet that is inlined into every page. */
export const STYLE = "static/page.css";
const ISLAND = /^[A-Z][A-Za-z0-9]*$/;

/** Lists all files in the scanned folders, sorted. */
export function listFiles(root: string): string[] {
  return SCANNED_FOLDERS.flatMap((folder) => walk(root, folder)).filter(({ isFile }) => isFile)
    .map(({ path }) => path).sort();
}

/** Lists the scanned folders that exist, and all folders in them. */
export function listFolders(root: string): string[] {
  return SCANNED_FOLDERS.flatMap((folder) => walk(root, folder)).filter(({ isFile }) => !isFile)
    .map(({ path }) => path);
}

/**
 * Classifies a project's files by their path, and islands by their default export.
 *
 * @throws {BuildError} files have conflicting or invalid names
 */
export function scanProject(root: string, files: readonly string[] = listFiles(root)): Project {
  const project = {
    pages: under(files, "routes/")
      .filter(({ name }) => /^[^_].*\.tsx$/.test(name) && !isTest(name))
      .map(({ rest, file }) => ({ path: routePath(rest), module: file })),
    islands: under(files, "islands/")
      .filter(({ name, file }) => name.endsWith(".tsx") && !isTest(name) && isIsland(root, file))
      .map(({ name, file }) => ({ name: name.slice(0, -".tsx".length), module: file })),
    statics: under(files, "static/").filter(({ file }) => file !== STYLE)
      .map(({ rest, file }) => ({ path: encodeURI(`/${rest}`), file })),
  };
  checkPaths(project);
  checkIslands(project);
  return project;
}

interface Found {
  readonly file: string;
  /** Path without the folder. */
  readonly rest: string;
  /** File name. */
  readonly name: string;
}

function under(files: readonly string[], folder: string): Found[] {
  return files.filter((file) => file.startsWith(folder)).map((file) => {
    const rest = file.slice(folder.length);
    return { file, rest, name: rest.slice(rest.lastIndexOf("/") + 1) };
  });
}

/** Files in `islands/` with a default export are islands; the others are parts of them. */
function isIsland(root: string, file: string): boolean {
  return /^export default /m.test(Deno.readTextFileSync(`${root}/${file}`));
}

function isTest(name: string): boolean {
  return /_test\.tsx?$/.test(name);
}

/** `a/index.tsx` → `/a`, `a/b.tsx` → `/a/b`. */
function routePath(rest: string): string {
  return `/${rest.replace(/\.tsx?$/, "")}`.replace(/\/index$/, "") || "/";
}

function checkPaths(project: Project): void {
  const seen = new Map<string, string>();
  const all = [
    ...project.pages.map(({ path, module }) => ({ path, file: module })),
    ...project.statics,
  ];
  for (const { path, file } of all) {
    const other = seen.get(path);
    if (other !== undefined) {
      throw new BuildError(
        `${other} and ${file} would both be served at ${path}: rename one of them.`,
      );
    }
    if (path === "/assets" || path.startsWith("/assets/")) {
      throw new BuildError(
        `${file} would be served at ${path}, which is reserved for built files.`,
      );
    }
    seen.set(path, file);
  }
}

function checkIslands({ islands }: Project): void {
  const seen = new Map<string, string>();
  for (const { name, module } of islands) {
    if (!ISLAND.test(name)) {
      throw new BuildError(`${module} is not a valid name of an island: use PascalCase.`);
    }
    const other = seen.get(name);
    if (other !== undefined) throw new BuildError(`${other} and ${module} have the same name.`);
    seen.set(name, module);
  }
}

interface Entry {
  readonly path: string;
  /** False for a folder. */
  readonly isFile: boolean;
}

/** A folder and everything in it. All folders are optional. */
function walk(root: string, folder: string): Entry[] {
  const entries = ifFound(() => [...Deno.readDirSync(`${root}/${folder}`)]);
  if (entries === undefined) return [];
  const inside = entries.flatMap(({ name, isDirectory, isFile }): Entry[] => {
    const path = `${folder}/${name}`;
    if (isDirectory) return walk(root, path);
    return isFile && !name.startsWith(".") ? [{ path, isFile }] : [];
  });
  return [{ path: folder, isFile: false }, ...inside];
}
