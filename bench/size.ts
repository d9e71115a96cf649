import { gzipSync } from "node:zlib";
import { monitoringScripts } from "../routes/_monitoring_scripts.ts";
import { assetsOf } from "../server/assets.ts";
import { type Manifest, readManifest } from "../server/manifest.ts";
import { BUDGETS } from "./budgets.ts";
import { budgeted, type Figure, worst } from "./figures.ts";

/** What a page load asks for until telemetry runs, besides the first scripts, by mode. */
const FIRST_LOADS = {
  inbox: ["islands/overview/Overview.tsx", "islands/shell/Switcher.tsx"],
  relay: ["islands/overview/RelayOverview.tsx", "islands/data/sent_envelopes.ts"],
};
/** The same in both modes. */
const EACH_LOAD = ["islands/background_code.ts", "monitoring/browser/start_telemetry.ts"];
/** What it asks for then, without further input. */
const AFTER_LOAD = [
  "islands/shell/LivePipelineMark.tsx",
  "monitoring/browser/recording_chunk.ts",
];

export async function bench(): Promise<Figure[]> {
  const folder = new URL("../.build/", import.meta.url);
  const manifest = await readManifest(folder);
  // The root page in each variant.
  const html = manifest.pages.filter(({ path }) => path === "/").map(async ({ file }) =>
    gzipSync(await Deno.readFile(new URL(`pages/${file}`, folder)), { level: 9 }).length
  );
  return sizesOf(manifest, await Promise.all(html));
}

/** Each part of a build, without what earlier parts have loaded. `html`: gzip bytes of each variant of the page. */
export function sizesOf(manifest: Manifest, html: readonly number[]): Figure[] {
  const { telemetry, recording, worker } = monitoringScripts(manifest);
  // A missing part must not count as zero bytes.
  if (worker.length === 0) throw new Error("Cannot measure: the build has no recording worker.");
  const { first, assets } = manifest;
  const bytes = (names: Iterable<string>) =>
    Array.from(names, (name) => assets[name]?.gzip ?? assets[name]?.bytes ?? 0)
      .reduce((sum, each) => sum + each, 0);
  const loads = Object.values(FIRST_LOADS).map((sources) =>
    filesOf(manifest, ...EACH_LOAD, ...sources)
  );
  const views = viewsOf(manifest);
  const details = views.map(({ source, files }) =>
    `${source}: ${bytes(files)}, ${files.size} files`
  );
  return [
    worst(BUDGETS.htmlAndStyle, ...html),
    budgeted(BUDGETS.firstScripts, bytes(first)),
    {
      ...budgeted(BUDGETS.firstScriptFiles, first.length),
      details: first.map((file) =>
        `${file}: ${Object.keys(assets[file]?.sources ?? {}).join(", ")}`
      ),
    },
    {
      ...worst(BUDGETS.firstLoadFiles, ...loads.map(({ size }) => size)),
      details: loads.map((files) => [...files].join(", ")),
    },
    budgeted(BUDGETS.telemetryCore, bytes(telemetry)),
    budgeted(BUDGETS.recording, bytes(recording)),
    budgeted(BUDGETS.recordingWorker, bytes(worker)),
    { ...worst(BUDGETS.viewScripts, ...views.map(({ files }) => bytes(files))), details },
    { ...worst(BUDGETS.viewFiles, ...views.map(({ files }) => files.size)), details },
  ];
}

/** The first scripts, and all files of the given sources. */
const filesOf = (manifest: Manifest, ...sources: readonly string[]): Set<string> =>
  sources.map((source) => assetsOf(manifest, source))
    .reduce((all, assets) => all.union(assets), new Set(manifest.first));

/** Files that each view needs, besides those of the loaded overview. */
function viewsOf(manifest: Manifest): { source: string; files: Set<string> }[] {
  const loaded = filesOf(manifest, ...EACH_LOAD, ...FIRST_LOADS.inbox, ...AFTER_LOAD);
  return Object.values(manifest.assets).flatMap(({ entryPoint }) => entryPoint ?? [])
    .filter((source) => /^islands\/.*\.tsx$/.test(source))
    .map((source) => ({ source, files: assetsOf(manifest, source).difference(loaded) }));
}
