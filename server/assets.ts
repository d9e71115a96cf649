import { undefinedIfNotFound } from "../monitoring/protocol/if_found.ts";
import type { AssetRole, Manifest } from "./manifest.ts";

/**
 * Names of the asset of an entry point, a source relative to the root, and of all assets that it imports statically.
 *
 * @throws {Error} there is no such asset: a missing part must not count as zero bytes
 */
export function assetsOf(
  { assets }: { readonly assets: Readonly<Record<string, AssetRole>> },
  entryPoint: string,
): Set<string> {
  const entry = Object.keys(assets).find((name) => assets[name]?.entryPoint === entryPoint);
  if (entry === undefined) throw new Error(`The build has no chunk of ${entryPoint}.`);
  const found = new Set<string>();
  const follow = (name: string) => {
    // Undefined for a specifier of the import map, which the page has loaded already.
    const asset = assets[name];
    if (!asset || found.has(name)) return;
    found.add(name);
    asset.imports.forEach(follow);
  };
  follow(entry);
  return found;
}

/** Name of the asset for a specifier of the import map (see `BuildOptions.extra`). */
export function extraAsset({ assets }: Manifest, specifier: string): string | undefined {
  return Object.keys(assets).find((asset) =>
    assets[asset]?.kind === "extra" && assets[asset]?.name === specifier
  );
}

/**
 * Returns a function that reads the source map of the script with a debug id; undefined if this build has none. Callers
 * decide who may read. Its JSON also has the script, as `x_script`: only the script shows where functions begin.
 */
export function createSourceMaps(build: URL, { assets }: Pick<Manifest, "assets">) {
  const names = new Map(
    Object.entries(assets).flatMap(([name, { debugId }]) =>
      debugId === undefined ? [] : [[debugId, name]]
    ),
  );
  return async (debugId: string) => {
    const name = names.get(debugId);
    if (name === undefined) return undefined;
    const files = await Promise.all([
      Deno.readTextFile(new URL(`maps/${name}.map`, build)),
      Deno.readTextFile(new URL(`assets/${name}`, build)),
    ]).catch(undefinedIfNotFound);
    // Another build has replaced this one.
    if (files === undefined) return undefined;
    const [map, script] = files;
    // Inserted as text: parsing a map of several megabytes would block other requests.
    const extended = `{"x_script":${JSON.stringify(script)},${map.trimStart().slice(1)}`;
    return new TextEncoder().encode(extended);
  };
}
