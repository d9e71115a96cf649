/** Folders that hold nothing of the project's own: made by tools, or not source. */
const SKIPPED = new Set(["node_modules", "test-results"]);

/**
 * All files of the project whose name ends in one of `endings`, as paths relative to `root` with
 * forward slashes, sorted. Hidden folders (`.git`, `.build`, `.data`) are left out.
 */
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

/** Whether there is a file or a folder at this path. */
export function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
