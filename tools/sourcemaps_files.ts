import { stagingFolder } from "../server/build/publish.ts";

/** One script of the build that has a source map. */
export interface MappedScript {
  /** Of its file. */
  readonly name: string;
  readonly debugId: string;
  /** As it is served. */
  readonly code: Uint8Array<ArrayBuffer>;
  readonly map: Uint8Array<ArrayBuffer>;
}

/**
 * The scripts among `names` that have a source map, in their order. Those without have no sources
 * to be shown.
 *
 * @param build the build's folder, with a slash at its end
 */
export async function readMappedScripts(
  build: URL,
  names: readonly string[],
): Promise<MappedScript[]> {
  const mapped = new Set<string>();
  for await (const { name } of Deno.readDir(new URL("maps/", build))) mapped.add(name);
  return await Promise.all(
    names.filter((name) => mapped.has(`${name}.map`)).map(async (name) => {
      const [code, map] = await Promise.all([
        Deno.readFile(new URL(`assets/${name}`, build)),
        Deno.readFile(new URL(`maps/${name}.map`, build)),
      ]);
      const { debugId } = JSON.parse(new TextDecoder().decode(map)) as { debugId: string };
      return { name, debugId, code, map };
    }),
  );
}

/**
 * Copies scripts and maps into a new folder in the form in which Sentry's tool finds what belongs
 * together: by comments at the end of a script, which what is served does without. Whoever calls
 * this removes the folder; one that was left, because the task was killed, a later build removes.
 *
 * @returns its path
 */
export async function writeUploadFolder(
  root: string,
  scripts: readonly MappedScript[],
): Promise<string> {
  const folder = stagingFolder(`${root}/.build`);
  await Deno.mkdir(folder);
  await Promise.all(scripts.flatMap(({ name, debugId, code, map }) => {
    const comments = `\n//# debugId=${debugId}\n//# sourceMappingURL=${name}.map\n`;
    const copy = new Blob([code, comments]).stream();
    return [
      Deno.writeFile(`${folder}/${name}`, copy),
      Deno.writeFile(`${folder}/${name}.map`, map),
    ];
  }));
  return folder;
}
