/** A new folder of a test, with everything in it deleted at the end. */
export interface TemporaryFolder extends Disposable {
  readonly path: string;
}

/**
 * @example
 * ```ts ignore
 * using folder = temporaryFolder();
 * await using server = await startServer({ dataDir: folder.path });
 * ```
 */
export function temporaryFolder(): TemporaryFolder {
  const path = Deno.makeTempDirSync({ prefix: "sightglass-" });
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}
