import type { Manifest } from "../server/manifest.ts";

/** A part of what a visit loads, and the most that it may weigh. */
export interface SizeBudget {
  readonly what: string;
  /** Bytes, gzip. */
  readonly most: number;
  /** Bytes, gzip, of this part in a build. */
  measure(build: Build): number;
}

/** A built page as it is measured. */
export interface Build {
  readonly manifest: Manifest;
  /** Gzip bytes of the root page's HTML, its style inlined, for each variant. */
  readonly html: Readonly<Record<string, number>>;
}

const CORE = "monitoring/browser/start_telemetry.ts";
const RECORDING = "monitoring/browser/start_recording.ts";

/** What the page may weigh, each part without what an earlier one has loaded. */
export const SIZE_BUDGETS: readonly SizeBudget[] = [
  {
    // One round trip: ten packets of a connection's first window (RFC 6928).
    what: "HTML and style until first paint",
    most: 14_000,
    measure: ({ html }) => Math.max(...Object.values(html)),
  },
  {
    // React alone is 70,000 of it.
    what: "JavaScript before islands answer",
    most: 82_000,
    measure: ({ manifest }) =>
      Math.max(...rootPages(manifest).map(({ assets }) => weigh(manifest, new Set(assets)))),
  },
  {
    what: "telemetry core, after load",
    most: 76_000,
    measure: ({ manifest }) => weigh(manifest, without(reach(manifest, CORE), first(manifest))),
  },
  {
    what: "recording, at idle after the core",
    most: 41_000,
    measure({ manifest }) {
      const loaded = new Set([...first(manifest), ...reach(manifest, CORE)]);
      return weigh(manifest, without(reach(manifest, RECORDING), loaded));
    },
  },
  {
    what: "recording's worker",
    most: 5_000,
    measure: ({ manifest }) =>
      weigh(manifest, new Set([nameOf(manifest, (asset) => asset.name === "replay-worker")])),
  },
];

/** The root page in each variant. */
export function rootPages({ pages }: Manifest): Manifest["pages"] {
  return pages.filter(({ path }) => path === "/");
}

/** What every variant of the root page has loaded before its islands answer. */
function first(manifest: Manifest): Set<string> {
  const [some, ...others] = rootPages(manifest).map(({ assets }) => new Set(assets));
  return others.reduce((common, assets) => common.intersection(assets), some ?? new Set<string>());
}

/** The asset of an entry, and all that it imports statically. */
function reach(manifest: Manifest, entryPoint: string): Set<string> {
  const found = new Set<string>();
  const follow = (name: string) => {
    // A specifier of the import map, which the page has loaded.
    const asset = manifest.assets[name];
    if (!asset || found.has(name)) return;
    found.add(name);
    asset.imports.forEach(follow);
  };
  follow(nameOf(manifest, (asset) => asset.entryPoint === entryPoint));
  return found;
}

function nameOf(
  { assets }: Manifest,
  matches: (asset: Manifest["assets"][string]) => boolean,
): string {
  const found = Object.entries(assets).find(([, asset]) => matches(asset));
  // A part that is gone must not count as one that weighs nothing.
  if (!found) {
    throw new Error("The build lacks a part that has a budget: mend tools/size_budgets.ts.");
  }
  return found[0];
}

function without(assets: Set<string>, loaded: Set<string>): Set<string> {
  return assets.difference(loaded);
}

function weigh({ assets }: Manifest, names: ReadonlySet<string>): number {
  return [...names].reduce(
    (sum, name) => sum + (assets[name]?.gzip ?? assets[name]?.bytes ?? 0),
    0,
  );
}
