/**
 * `deno task size`: compares the parts of the built page with their byte budgets. Exits with 1 if one of
 * them is exceeded.
 */
import { gzipSync } from "node:zlib";
import { SIZE_BUDGETS as LIMITS } from "./budgets.ts";
import { assetsOf, extraAsset, firstAssets } from "../server/assets.ts";
import { type Manifest, readManifest } from "../server/manifest.ts";

/** The byte budget of a part of the page. */
export interface SizeBudget {
  readonly name: string;
  /** Bytes, gzip. */
  readonly maxBytes: number;
  /** Bytes, gzip, of this part in a build. */
  measure(build: Build): number;
}

/** A build to measure. */
export interface Build {
  readonly manifest: Manifest;
  /** Gzip bytes of the root page's HTML with its inlined style, for each variant. */
  readonly html: Readonly<Record<string, number>>;
}

const CORE = "monitoring/browser/start_telemetry.ts";
const RECORDING = "monitoring/browser/start_recording.ts";

/** Each part is measured without what earlier parts have loaded. */
export const SIZE_BUDGETS: readonly SizeBudget[] = [
  {
    name: "HTML and style until first paint",
    maxBytes: LIMITS.htmlAndStyle.limit.most,
    measure: ({ html }) => Math.max(...Object.values(html)),
  },
  {
    name: "JavaScript before islands answer",
    maxBytes: LIMITS.scriptsBeforeIslands.limit.most,
    measure: ({ manifest }) =>
      Math.max(...rootPages(manifest).map(({ assets }) => weigh(manifest, new Set(assets)))),
  },
  {
    name: "telemetry core, after load",
    maxBytes: LIMITS.telemetryCore.limit.most,
    measure: ({ manifest }) =>
      weigh(manifest, assetsOf(manifest, CORE).difference(firstAssets(manifest, "/"))),
  },
  {
    name: "recording, at idle after the core",
    maxBytes: LIMITS.recording.limit.most,
    measure({ manifest }) {
      const loaded = firstAssets(manifest, "/").union(assetsOf(manifest, CORE));
      return weigh(manifest, assetsOf(manifest, RECORDING).difference(loaded));
    },
  },
  {
    name: "recording's worker",
    maxBytes: LIMITS.recordingWorker.limit.most,
    measure({ manifest }) {
      const worker = extraAsset(manifest, "replay-worker");
      // A missing part must not count as zero bytes.
      if (worker === undefined) {
        throw new Error("Cannot measure the worker: the build has none. Adapt bench/size.ts.");
      }
      return weigh(manifest, new Set([worker]));
    },
  },
];

/** The root page in each variant. */
function rootPages({ pages }: Manifest): Manifest["pages"] {
  return pages.filter(({ path }) => path === "/");
}

function weigh({ assets }: Manifest, names: ReadonlySet<string>): number {
  return [...names].reduce(
    (sum, name) => sum + (assets[name]?.gzip ?? assets[name]?.bytes ?? 0),
    0,
  );
}

async function readBuild(folder: URL): Promise<Build> {
  const manifest = await readManifest(folder);
  const html: Record<string, number> = {};
  for (const { variant, file } of rootPages(manifest)) {
    const bytes = await Deno.readFile(new URL(`pages/${file}`, folder));
    html[variant] = gzipSync(bytes, { level: 9 }).length;
  }
  return { manifest, html };
}

/**
 * Compares a build with all budgets.
 *
 * @param folder the build's folder, ending with a slash
 * @returns for each budget a line with the figures, and whether it holds
 */
export async function checkSizes(
  folder: URL,
): Promise<readonly { readonly holds: boolean; readonly line: string }[]> {
  const build = await readBuild(folder);
  return SIZE_BUDGETS.map(({ name, maxBytes, measure }) => {
    const bytes = measure(build);
    const figures = `${bytes.toLocaleString("en")} of ${maxBytes.toLocaleString("en")} bytes gzip`;
    return { holds: bytes <= maxBytes, line: `${name}: ${figures}` };
  });
}

if (import.meta.main) {
  const sizes = await checkSizes(new URL("../.build/", import.meta.url));
  for (const { holds, line } of sizes) console.log(`${holds ? "ok    " : "FAILED"} ${line}`);
  if (!sizes.every(({ holds }) => holds)) Deno.exitCode = 1;
}
