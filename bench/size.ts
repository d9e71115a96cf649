/** What the parts of the built page weigh. */
import { gzipSync } from "node:zlib";
import { monitoringScripts } from "../routes/_monitoring_scripts.ts";
import { assetsOf } from "../server/assets.ts";
import { type Manifest, type ManifestPage, readManifest } from "../server/manifest.ts";
import { BUDGETS } from "./budgets.ts";
import { budgeted, type Figure, worst } from "./figures.ts";

/** A build to measure. */
export interface Build {
  readonly manifest: Manifest;
  /** Gzip bytes of each variant of the root page, with its inlined style. */
  readonly html: readonly number[];
}

/** What the overview loads after its islands answer, without further input. */
const AFTER_LOAD = [
  "islands/overview/Connect.tsx",
  "islands/overview/Highlights.tsx",
  "islands/shared/TabCount.tsx",
  "islands/strip/LivePipelineStrip.tsx",
  "monitoring/browser/start_telemetry.ts",
  "monitoring/browser/recording_chunk.ts",
];

/** Measures the build of this project. */
export async function bench(): Promise<Figure[]> {
  return sizesOf(await readBuild(new URL("../.build/", import.meta.url)));
}

/** @param folder the build's folder, ending with a slash */
export async function readBuild(folder: URL): Promise<Build> {
  const manifest = await readManifest(folder);
  const html = rootPages(manifest).map(async ({ file }) =>
    gzipSync(await Deno.readFile(new URL(`pages/${file}`, folder)), { level: 9 }).length
  );
  return { manifest, html: await Promise.all(html) };
}

/** Each part of a build, without what earlier parts have loaded. Of several variants the largest. */
export function sizesOf({ manifest, html }: Build): Figure[] {
  const { telemetry, recording, worker } = monitoringScripts(manifest);
  // A missing part must not count as zero bytes.
  if (worker.length === 0) throw new Error("Cannot measure: the build has no recording worker.");
  const bytes = (names: Iterable<string>) => gzipBytes(manifest, names);
  const { first } = manifest;
  const views = viewsOf(manifest);
  return [
    worst(BUDGETS.htmlAndStyle, ...html),
    budgeted(BUDGETS.firstScripts, bytes(first)),
    { ...budgeted(BUDGETS.firstScriptFiles, first.length), details: first.map(contentOf) },
    budgeted(BUDGETS.telemetryCore, bytes(telemetry)),
    budgeted(BUDGETS.recording, bytes(recording)),
    budgeted(BUDGETS.recordingWorker, bytes(worker)),
    {
      ...worst(BUDGETS.viewScripts, ...views.map(({ files }) => bytes(files))),
      details: views.map(({ source, files }) => `${source}: ${bytes(files)}`),
    },
    {
      ...worst(BUDGETS.viewFiles, ...views.map(({ files }) => files.size)),
      details: views.map(({ source, files }) => `${source}: ${files.size}`),
    },
  ];

  /** What identifies a file to a person: its entry point, or its largest sources. */
  function contentOf(file: string): string {
    const { name, entryPoint, sources = {} } = manifest.assets[file] ?? {};
    const largest = Object.keys(sources).sort((a, b) => sources[b]! - sources[a]!).slice(0, 3);
    return `${file}: ${entryPoint ?? (largest.join(", ") || name)}`;
  }
}

/** Files that each island which is loaded later needs, besides those of the loaded overview. */
function viewsOf(manifest: Manifest): { source: string; files: Set<string> }[] {
  const loaded = AFTER_LOAD.map((source) => assetsOf(manifest, source))
    .reduce((all, assets) => all.union(assets), new Set(manifest.first));
  return Object.values(manifest.assets).filter(({ kind }) => kind === "island")
    .flatMap(({ entryPoint }) => entryPoint ?? [])
    .map((source) => ({ source, files: assetsOf(manifest, source).difference(loaded) }));
}

/** The root page in each variant. */
const rootPages = ({ pages }: Manifest): ManifestPage[] => pages.filter(({ path }) => path === "/");

function gzipBytes({ assets }: Manifest, names: Iterable<string>): number {
  return [...names].reduce(
    (sum, name) => sum + (assets[name]?.gzip ?? assets[name]?.bytes ?? 0),
    0,
  );
}
