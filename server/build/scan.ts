import type { ManifestModule } from "../manifest.ts";

/**
 * The files of a project that the kernel gives a meaning to, all relative to the root, with `/`.
 */
export interface Project {
  readonly pages: readonly ManifestModule[];
  readonly handlers: readonly ManifestModule[];
  readonly middleware: readonly ManifestModule[];
  readonly app?: string;
  readonly notFound?: string;
  readonly serverError?: string;
  readonly islands: readonly { readonly name: string; readonly module: string }[];
  /** Files served under their own names. */
  readonly statics: readonly { readonly path: string; readonly file: string }[];
  /** The one style sheet, inlined into every page with what it imports. */
  readonly style?: string;
}

/** The project's files cannot be understood. */
export class ScanError extends Error {
  override name = "ScanError";
}

/** Where files have a meaning by being there: a file that comes or goes makes another build. */
export const SCANNED_FOLDERS = ["routes", "islands", "static"] as const;

const STYLE = "static/page.css";
const ISLAND = /^[A-Z][A-Za-z0-9]*$/;

/** Every file under the scanned folders, sorted, so that the order of a directory means nothing. */
export function listFiles(root: string): string[] {
  return SCANNED_FOLDERS.flatMap((folder) => walk(root, folder)).sort();
}

/** Classifies the files of a project by their path, and islands by their default export. */
export function scanProject(root: string, files: readonly string[] = listFiles(root)): Project {
  const routes = under(files, "routes/").filter(({ name }) =>
    /\.tsx?$/.test(name) && !isTest(name)
  );
  const special = (name: string) => routes.find(({ rest }) => rest === name)?.file;
  const open = routes.filter(({ name }) => !name.startsWith("_"));
  const module = ({ rest, file }: Found) => ({ path: routePath(rest), module: file });
  const project = {
    pages: open.filter(({ name }) => name.endsWith(".tsx")).map(module),
    handlers: open.filter(({ name }) => name.endsWith(".ts")).map(module),
    middleware: routes.filter(({ name }) => name === "_middleware.ts")
      .map(({ rest, file }) => ({
        path: routePath(rest.replace("_middleware", "index")),
        module: file,
      }))
      .sort((a, b) => a.path.length - b.path.length),
    ...optional("app", special("_app.tsx")),
    ...optional("notFound", special("_404.tsx")),
    ...optional("serverError", special("_500.tsx")),
    islands: under(files, "islands/")
      .filter(({ name, file }) => name.endsWith(".tsx") && !isTest(name) && isIsland(root, file))
      .map(({ name, file }) => ({ name: name.slice(0, -".tsx".length), module: file })),
    statics: under(files, "static/").filter(({ file }) => file !== STYLE)
      .map(({ rest, file }) => ({ path: encodeURI(`/${rest}`), file })),
    ...optional("style", files.find((file) => file === STYLE)),
  };
  checkPaths(project);
  checkIslands(project);
  return project;
}

interface Found {
  readonly file: string;
  /** Without the folder. */
  readonly rest: string;
  /** The last part. */
  readonly name: string;
}

function under(files: readonly string[], folder: string): Found[] {
  return files.filter((file) => file.startsWith(folder)).map((file) => {
    const rest = file.slice(folder.length);
    return { file, rest, name: rest.slice(rest.lastIndexOf("/") + 1) };
  });
}

/** Islands are the files in `islands/` with a default export. The others there are parts of islands. */
function isIsland(root: string, file: string): boolean {
  return /^export default /m.test(Deno.readTextFileSync(`${root}/${file}`));
}

function isTest(name: string): boolean {
  return /_test\.tsx?$/.test(name);
}

/** `a/index.tsx` answers at `/a`, `a/b.ts` at `/a/b`. */
function routePath(rest: string): string {
  return `/${rest.replace(/\.tsx?$/, "")}`.replace(/\/index$/, "") || "/";
}

function optional<K extends string>(key: K, value: string | undefined): { [P in K]?: string } {
  return value === undefined ? {} : { [key]: value } as { [P in K]?: string };
}

function checkPaths(project: Project): void {
  const seen = new Map<string, string>();
  const all = [
    ...project.pages.map(({ path, module }) => ({ path, file: module })),
    ...project.handlers.map(({ path, module }) => ({ path, file: module })),
    ...project.statics,
  ];
  for (const { path, file } of all) {
    const other = seen.get(path);
    if (other !== undefined) {
      throw new ScanError(`${other} and ${file} would both answer at ${path}: rename one of them.`);
    }
    if (path === "/assets" || path.startsWith("/assets/")) {
      throw new ScanError(`${file} would answer at ${path}, which is where built files are.`);
    }
    seen.set(path, file);
  }
}

function checkIslands({ islands }: Project): void {
  const seen = new Map<string, string>();
  for (const { name, module } of islands) {
    if (!ISLAND.test(name)) {
      throw new ScanError(`${module} is no name of an island: write it in PascalCase.`);
    }
    const other = seen.get(name);
    if (other !== undefined) throw new ScanError(`${other} and ${module} have the same name.`);
    seen.set(name, module);
  }
}

function walk(root: string, folder: string): string[] {
  const files: string[] = [];
  try {
    for (const entry of Deno.readDirSync(`${root}/${folder}`)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory) files.push(...walk(root, path));
      else if (entry.isFile && !entry.name.startsWith(".")) files.push(path);
    }
  } catch (error) {
    // A project need not have all of the folders.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return files;
}
