/**
 * The page in a real Chromium, on a slow network and a slow processor: as it is, built without monitoring, and with
 * all of monitoring loaded first. The page must be built.
 */
import type { Browser } from "@playwright/test";
import { monitoringScripts } from "../routes/_monitoring_scripts.ts";
import { readManifest } from "../server/manifest.ts";
import { launchChromium } from "../tools/test/find_chromium.ts";
import { type ServerProcess, startServer } from "../tests/server_process.ts";
import { type Budget, PAGE_BUDGETS } from "./budgets.ts";
import { type Figure, figure, median, ratio } from "./figures.ts";
import { loadPage, type LongTask, type PageLoad, type Until } from "./page/page_load.ts";
import { EAGER, serveVariant, WITHOUT_MONITORING } from "./page/variants.ts";

/** First paints vary by a tenth between loads, more than their budget allows. */
const ROUNDS_UNTIL_ANSWER = 20;
const ROUNDS_UNTIL_QUIET = 5;
const ROUNDS_UNTIL_SENT = 3;
/** The part of a task that does not count as blocking (https://www.w3.org/TR/longtasks-1/). */
const LONG_TASK_MS = 50;

/** Loads the variants in turns. */
export async function bench(): Promise<Figure[]> {
  await using server = await startServer();
  await using withoutMonitoring = await serveVariant(WITHOUT_MONITORING);
  await using eager = await serveVariant(EAGER);
  const telemetry = await telemetryScripts();
  await using browser = await launchChromium();
  const turns = (pages: readonly ServerProcess[], until: Until, rounds: number) =>
    loadInTurns(browser, pages, until, rounds);
  const answered = await turns([server, withoutMonitoring], "answer", ROUNDS_UNTIL_ANSWER);
  const quiet = await turns([server, withoutMonitoring, eager], "quiet", ROUNDS_UNTIL_QUIET);
  const [sent] = await turns([server], "sent", ROUNDS_UNTIL_SENT);
  const [loads = [], , eagerLoads = []] = quiet;
  return [
    ...compare("first contentful paint", [...answered, eagerLoads], {
      of: ({ firstContentfulPaint }) => firstContentfulPaint,
      against: ratioWithin(PAGE_BUDGETS.firstPaint),
    }),
    ...compare("a click is answered", [...answered, eagerLoads], {
      of: ({ answeredAt = NaN }) => answeredAt,
      against: ratioWithin(PAGE_BUDGETS.islandsAnswer),
    }),
    ...compare("total blocking time", quiet, { of: blocking, against: addedBlocking }),
    figure(
      "longest task of more than 50 ms with telemetry's code",
      loads.map((load) => longestOf(load, telemetry)),
      PAGE_BUDGETS.longestTask,
    ),
    figure(
      "bytes uploaded by a load that is not recorded",
      sent!.map(({ uploadedBytes }) => uploadedBytes),
      PAGE_BUDGETS.upload,
    ),
    figure(
      "scripts loaded before a click is answered",
      loads.map(scriptsBefore),
      PAGE_BUDGETS.scriptsBefore,
    ),
    figure(
      "scripts loaded afterwards",
      loads.map((load) => load.scripts.length - scriptsBefore(load)),
      PAGE_BUDGETS.scriptsAfter,
    ),
  ];
}

/** One after the other in each round, so that other work of the machine affects all of them. */
async function loadInTurns(
  browser: Browser,
  pages: readonly ServerProcess[],
  until: Until,
  rounds: number,
): Promise<PageLoad[][]> {
  const loads = pages.map((): PageLoad[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, { origin }] of pages.entries()) {
      loads[i]!.push(await loadPage(browser, origin, until));
    }
  }
  return loads;
}

interface Compared {
  readonly of: (load: PageLoad) => number;
  /** Compares the page with that without monitoring. */
  readonly against: (what: string, own: number[], without: number[]) => Figure;
}

/** @param loads of the page as it is, without monitoring, and with all of it loaded first */
function compare(what: string, loads: PageLoad[][], { of, against }: Compared): Figure[] {
  const [own = [], without = [], eager = []] = loads.map((ofVariant) => ofVariant.map(of));
  return [
    figure(`${what}: the page as it is`, own, "ms"),
    figure(`${what}: without monitoring`, without, "ms"),
    figure(`${what}: all of monitoring loaded first`, eager, "ms"),
    against(what, own, without),
  ];
}

const ratioWithin = (budget: Budget): Compared["against"] => (what, own, without) =>
  ratio(`${what}: against without monitoring`, own, without, budget);

function addedBlocking(what: string, own: number[], without: number[]): Figure {
  return {
    what: `${what}: added by monitoring`,
    value: median(own) - median(without),
    unit: "ms",
    rounds: own.map((ms, round) => ms - without[round]!),
    budget: PAGE_BUDGETS.blocking.limit,
  };
}

/** Time of tasks beyond 50 ms each, from the first contentful paint on. */
function blocking({ longTasks, firstContentfulPaint }: PageLoad): number {
  const blocked = ({ at, ms }: LongTask) =>
    at + ms - Math.max(at, firstContentfulPaint) - LONG_TASK_MS;
  return longTasks.reduce((sum, task) => sum + Math.max(0, blocked(task)), 0);
}

function longestOf({ longTasks }: PageLoad, telemetry: ReadonlySet<string>): number {
  // Only telemetry uses idle callbacks. The script that requests them is one of the page's first.
  const ofTelemetry = longTasks.filter(({ scripts, isIdleWork }) =>
    isIdleWork || scripts.some((url) => telemetry.has(assetOf(url)))
  );
  return Math.max(0, ...ofTelemetry.map(({ ms }) => ms));
}

function scriptsBefore({ scripts, answeredAt = NaN }: PageLoad): number {
  return scripts.filter(({ loadedAt }) => loadedAt < answeredAt).length;
}

/** Names of the assets that have only telemetry's code. */
async function telemetryScripts(): Promise<ReadonlySet<string>> {
  const manifest = await readManifest(new URL("../.build/", import.meta.url));
  const { telemetry, recording } = monitoringScripts(manifest);
  return new Set([...telemetry, ...recording]);
}

const assetOf = (url: string) => url.slice(url.lastIndexOf("/") + 1);
