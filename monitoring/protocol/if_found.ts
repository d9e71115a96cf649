/** The result of a function that reads a file or folder; undefined if there is none. */
export function ifFound<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    return undefinedIfNotFound(error);
  }
}

/** The same for promises: `await Deno.readTextFile(path).catch(undefinedIfNotFound)`. @throws every other error */
export function undefinedIfNotFound(error: unknown): undefined {
  const isMissing = error instanceof Deno.errors.NotFound ||
    // A part of the path is a file.
    error instanceof Deno.errors.NotADirectory;
  if (!isMissing) throw error;
}
