import { relative } from "node:path";
import { exists } from "../project_files.ts";

/** Folders whose changes trigger a build. */
const FOLDERS = ["components", "islands", "monitoring", "routes", "server", "static"];
const FILES = new Set([
  "client.ts",
  "config.ts",
  "config_table.ts",
  "config_values.ts",
  "deno.json",
  "main.ts",
]);

/** Writes that follow within this time belong to one change: editors write in several steps. */
const QUIET_MS = 60;

/** Yields, for each change of sources, the changed files relative to `root`. */
export async function* changes(root: string): AsyncGenerator<string[]> {
  // Watch the folder, not the files in it: many editors replace a file, which ends a watcher of it.
  using top = Deno.watchFs(root, { recursive: false });
  using below = Deno.watchFs(FOLDERS.map((name) => `${root}/${name}`).filter(exists));
  const changed = new Set<string>();
  let writes = 0;
  let waiting = Promise.withResolvers<void>();
  const collect = async (watcher: Deno.FsWatcher) => {
    for await (const { kind, paths } of watcher) {
      if (kind === "access") continue;
      for (const path of paths.map((absolute) => relative(root, absolute)).filter(isSource)) {
        changed.add(path);
        writes += 1;
        waiting.resolve();
      }
    }
  };
  const ended = Promise.all([collect(top), collect(below)]);
  // Throw a watcher's error to the caller.
  ended.catch((error) => waiting.reject(error));
  for (;;) {
    await waiting.promise;
    for (let before = -1; before !== writes;) {
      before = writes;
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    }
    waiting = Promise.withResolvers();
    const files = [...changed].sort();
    changed.clear();
    yield files;
  }
}

/** False for temporary files of editors and for tests. */
function isSource(path: string): boolean {
  if (!path.includes("/")) return FILES.has(path);
  return FOLDERS.includes(path.slice(0, path.indexOf("/"))) &&
    /\.(?:tsx?|css|json|svg|png|ico|txt|webmanifest)$/.test(path) &&
    !/\/\.|_test\.tsx?$/.test(path);
}
