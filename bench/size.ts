/**
 * `deno task size`: compares the parts of the built page, and what a load of it uploads, with their byte
 * budgets. Exits with 1 if one of them is exceeded.
 */
import { gzipSync } from "node:zlib";
import { FILE_BUDGETS, SIZE_BUDGETS } from "./budgets.ts";
import { monitoringScripts } from "../routes/_monitoring_scripts.ts";
import { assetsOf, firstAssets } from "../server/assets.ts";
import { type Manifest, readManifest } from "../server/manifest.ts";

/** A part of the page that has a byte budget. */
export interface SizePart {
  readonly title: string;
  /** Bytes, gzip, of this part in a build. */
  measure(build: Build): number;
}

export type SizeBudgetName = keyof typeof SIZE_BUDGETS;

/** A build to measure. */
export interface Build {
  readonly manifest: Manifest;
  /** Gzip bytes of the root page's HTML with its inlined style, for each variant. */
  readonly html: Readonly<Record<string, number>>;
}

/** The measured part of each budget, without what earlier parts have loaded. */
export const SIZE_PARTS: Readonly<Record<SizeBudgetName, SizePart>> = {
  htmlAndStyle: {
    title: "HTML and style until first paint",
    measure: ({ html }) => Math.max(...Object.values(html)),
  },
  scriptsBeforeIslands: {
    title: "JavaScript before islands answer",
    measure: ({ manifest }) =>
      Math.max(...rootPages(manifest).map(({ assets }) => weigh(manifest, assets))),
  },
  telemetryCore: {
    title: "telemetry core, after load",
    measure: ({ manifest }) => weigh(manifest, monitoringScripts(manifest).telemetry),
  },
  recording: {
    title: "recording, at idle after the core",
    measure: ({ manifest }) => weigh(manifest, monitoringScripts(manifest).recording),
  },
  recordingWorker: {
    title: "recording's worker",
    measure: ({ manifest }) => weigh(manifest, [workerOf(manifest)]),
  },
};

/** What the overview loads after its islands answer, without further input. */
const AFTER_LOAD = [
  "islands/overview/Connect.tsx",
  "islands/overview/Highlights.tsx",
  "islands/shared/TabCount.tsx",
  "islands/strip/LivePipelineStrip.tsx",
  "monitoring/browser/start_telemetry.ts",
  "monitoring/browser/recording_chunk.ts",
];

/** The script files of each budget, by name. */
export const FILE_PARTS: Readonly<
  Record<keyof typeof FILE_BUDGETS, { title: string; files(manifest: Manifest): Set<string> }>
> = {
  scriptsBeforeIslands: {
    title: "script files before islands answer",
    files: (manifest) =>
      rootPages(manifest).map(({ assets }) => new Set(assets))
        .reduce((most, assets) => assets.size > most.size ? assets : most),
  },
  scriptsAfterLoad: {
    title: "script files after load",
    files(manifest) {
      const found = AFTER_LOAD.map((entryPoint) => assetsOf(manifest, entryPoint))
        .reduce((all, assets) => all.union(assets), new Set([workerOf(manifest)]));
      return found.difference(firstAssets(manifest, "/"));
    },
  },
};

function workerOf(manifest: Manifest): string {
  const [worker] = monitoringScripts(manifest).worker;
  // A missing part must not count as zero bytes.
  if (worker === undefined) {
    throw new Error("Cannot measure the worker: the build has none. Adapt bench/size.ts.");
  }
  return worker;
}

/** The root page in each variant. */
function rootPages({ pages }: Manifest): Manifest["pages"] {
  return pages.filter(({ path }) => path === "/");
}

function weigh({ assets }: Manifest, names: readonly string[]): number {
  return names.reduce(
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

/** A part of a build, compared with its budget. */
export interface SizeCheck {
  readonly isWithinBudget: boolean;
  /** Title, size and budget, to print. */
  readonly line: string;
}

/**
 * Compares a build with all budgets.
 *
 * @param folder the build's folder, ending with a slash
 */
export async function checkSizes(folder: URL): Promise<readonly SizeCheck[]> {
  const build = await readBuild(folder);
  return [...checkBytes(build), ...checkFiles(build.manifest)];
}

function checkBytes(build: Build): SizeCheck[] {
  return (Object.keys(SIZE_PARTS) as SizeBudgetName[]).map((name) => {
    const { title, measure } = SIZE_PARTS[name];
    const maxBytes = SIZE_BUDGETS[name].limit.most;
    const bytes = measure(build);
    const figures = `${bytes.toLocaleString("en")} of ${maxBytes.toLocaleString("en")} bytes gzip`;
    return { isWithinBudget: bytes <= maxBytes, line: `${title}: ${figures}` };
  });
}

/** Compares numbers of script files. Names each file of a budget that is exceeded, with its largest sources. */
export function checkFiles(manifest: Manifest): SizeCheck[] {
  return (Object.keys(FILE_PARTS) as (keyof typeof FILE_BUDGETS)[]).map((name) => {
    const { title, files } = FILE_PARTS[name];
    const found = [...files(manifest)];
    const { most } = FILE_BUDGETS[name].limit;
    const isWithinBudget = found.length <= most;
    const names = isWithinBudget
      ? []
      : found.map((file) => `${file}: ${contentOf(manifest, file)}`);
    return {
      isWithinBudget,
      line: [`${title}: ${found.length} of ${most}`, ...names].join("\n         "),
    };
  });
}

/** What identifies a file to a person: its entry point, or its largest sources. */
function contentOf({ assets }: Manifest, file: string): string {
  const { kind = "", name, entryPoint, sources = {} } = assets[file] ?? {};
  const largest = Object.entries(sources).sort(([, a], [, b]) => b - a).slice(0, 3);
  return entryPoint ?? (largest.map(([source]) => source).join(", ") || (name ?? kind));
}

if (import.meta.main) {
  const report = ({ isWithinBudget, line }: SizeCheck) => {
    console.log(`${isWithinBudget ? "ok    " : "FAILED"} ${line}`);
    if (!isWithinBudget) Deno.exitCode = 1;
  };
  (await checkSizes(new URL("../.build/", import.meta.url))).forEach(report);
  // Loaded here, because it starts a browser.
  const { measureUpload } = await import("./upload.ts");
  report(await measureUpload());
}
