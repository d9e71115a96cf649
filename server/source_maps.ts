import type { Manifest } from "./manifest.ts";

/**
 * The build's source maps, which no address serves: whoever is handed this decides who may have them.
 *
 * @param build the build's folder, with a slash at its end
 * @returns what gives the map (JSON, with the script itself as `x_script`: a map names a function
 * only where it is declared, and where that is only the script says) of the script that has a debug
 * id; undefined: no script of this build has it, or another build has taken this one's place
 */
export function createSourceMaps(
  build: URL,
  { assets }: Pick<Manifest, "assets">,
): (debugId: string) => Promise<Uint8Array<ArrayBuffer> | undefined> {
  const names = new Map(
    Object.entries(assets).flatMap(([name, { debugId }]) =>
      debugId === undefined ? [] : [[debugId, name]]
    ),
  );
  return async (debugId) => {
    const name = names.get(debugId);
    if (name === undefined) return undefined;
    try {
      const [map, script] = await Promise.all([
        Deno.readTextFile(new URL(`maps/${name}.map`, build)),
        Deno.readTextFile(new URL(`assets/${name}`, build)),
      ]);
      // Put in as text: a map is some megabytes, and taking it apart would hold up other requests.
      const extended = `{"x_script":${JSON.stringify(script)},${map.trimStart().slice(1)}`;
      return new TextEncoder().encode(extended);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  };
}
