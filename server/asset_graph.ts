import type { Manifest } from "./manifest.ts";

/** What every variant of a page has loaded before its islands answer. */
export function firstAssets({ pages }: Manifest, path: string): Set<string> {
  const [some, ...others] = pages.filter((page) => page.path === path)
    .map(({ assets }) => new Set(assets));
  return others.reduce((common, assets) => common.intersection(assets), some ?? new Set<string>());
}

/**
 * The asset that a source is the entry of, and all that it imports statically.
 *
 * @param entryPoint relative to the root
 * @throws {Error} if no asset has it: a part that is gone must not count as one that weighs nothing
 */
export function assetsOf({ assets }: Manifest, entryPoint: string): Set<string> {
  const entry = Object.keys(assets).find((name) => assets[name]?.entryPoint === entryPoint);
  if (entry === undefined) throw new Error(`The build has no chunk of ${entryPoint}.`);
  const found = new Set<string>();
  const follow = (name: string) => {
    // A specifier of the import map, which the page has loaded.
    const asset = assets[name];
    if (!asset || found.has(name)) return;
    found.add(name);
    asset.imports.forEach(follow);
  };
  follow(entry);
  return found;
}

/** The finished script that the import map has under this name, if there is one. */
export function extraAsset({ assets }: Manifest, name: string): string | undefined {
  return Object.keys(assets).find((asset) =>
    assets[asset]?.kind === "extra" && assets[asset]?.name === name
  );
}
