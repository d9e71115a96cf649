import { relative } from "node:path";
import { exists } from "./project_files.ts";

/** Folders of sources that may be edited while the project runs. */
const FOLDERS = ["components", "islands", "monitoring", "routes", "server", "static"];
const FILES = new Set(["client.ts", "config.ts", "deno.json", "main.ts"]);

/**
 * Editors write a file in several steps, and "save all" writes several files: these are one change.
 * Milliseconds.
 */
const QUIET_MS = 60;

/** The files (relative to `root`) of each change of a source, one list for each burst of writes. */
export async function* changes(root: string): AsyncGenerator<string[]> {
  // Files of the root through their folder: many editors replace a file, and a watcher of the file
  // itself would go on watching the one that is gone.
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
  // A watcher that fails ends the waiting; its error is thrown where the changes are read.
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

/** Neither what editors leave beside a file, nor a test: neither is part of what runs. */
function isSource(path: string): boolean {
  if (!path.includes("/")) return FILES.has(path);
  return FOLDERS.includes(path.slice(0, path.indexOf("/"))) &&
    /\.(?:tsx?|css|json|svg|png|ico|txt|webmanifest)$/.test(path) &&
    !/\/\.|_test\.tsx?$/.test(path);
}
