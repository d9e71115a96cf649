import { SIZE_BUDGETS as LIMITS } from "./budgets.ts";
import { assetsOf, extraAsset, firstAssets } from "../server/asset_graph.ts";
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
    what: "HTML and style until first paint",
    most: LIMITS.htmlAndStyle.limit.most,
    measure: ({ html }) => Math.max(...Object.values(html)),
  },
  {
    what: "JavaScript before islands answer",
    most: LIMITS.scriptsBeforeIslands.limit.most,
    measure: ({ manifest }) =>
      Math.max(...rootPages(manifest).map(({ assets }) => weigh(manifest, new Set(assets)))),
  },
  {
    what: "telemetry core, after load",
    most: LIMITS.telemetryCore.limit.most,
    measure: ({ manifest }) =>
      weigh(manifest, assetsOf(manifest, CORE).difference(firstAssets(manifest, "/"))),
  },
  {
    what: "recording, at idle after the core",
    most: LIMITS.recording.limit.most,
    measure({ manifest }) {
      const loaded = firstAssets(manifest, "/").union(assetsOf(manifest, CORE));
      return weigh(manifest, assetsOf(manifest, RECORDING).difference(loaded));
    },
  },
  {
    what: "recording's worker",
    most: LIMITS.recordingWorker.limit.most,
    measure({ manifest }) {
      const worker = extraAsset(manifest, "replay-worker");
      // A part that is gone must not count as one that weighs nothing.
      if (worker === undefined) {
        throw new Error("The build lacks a part that has a budget: adapt bench/size_budgets.ts.");
      }
      return weigh(manifest, new Set([worker]));
    },
  },
];

/** The root page in each variant. */
export function rootPages({ pages }: Manifest): Manifest["pages"] {
  return pages.filter(({ path }) => path === "/");
}

function weigh({ assets }: Manifest, names: ReadonlySet<string>): number {
  return [...names].reduce(
    (sum, name) => sum + (assets[name]?.gzip ?? assets[name]?.bytes ?? 0),
    0,
  );
}
