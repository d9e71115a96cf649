/**
 * The page in a real Chromium, on a slow network and a slow processor: as it is, built without monitoring, and with
 * all of monitoring loaded first. The page must be built.
 */
import type { Browser } from "@playwright/test";
import { monitoringScripts } from "../routes/_monitoring_scripts.ts";
import { readManifest } from "../server/manifest.ts";
import { launchChromium } from "../tools/test/find_chromium.ts";
import { type ServerProcess, startServer } from "../tools/run/server_process.ts";
import { PAGE_BUDGETS } from "./budgets.ts";
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
export async function benchPage(): Promise<Figure[]> {
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
    ...compare("first contentful paint", answered, eagerLoads, {
      of: ({ firstContentfulPaint }) => firstContentfulPaint,
      budget: PAGE_BUDGETS.firstPaint.limit,
    }),
    ...compare("a click is answered", answered, eagerLoads, {
      of: ({ answeredAt = NaN }) => answeredAt,
      budget: PAGE_BUDGETS.islandsAnswer.limit,
    }),
    ...blockingFigures(quiet),
    figure(
      "longest task of more than 50 ms with telemetry's code",
      "ms",
      loads.map((load) => longestOf(load, telemetry)),
      PAGE_BUDGETS.longestTask.limit,
    ),
    figure(
      "bytes uploaded by a load that is not recorded",
      "bytes",
      sent!.map(({ uploadedBytes }) => uploadedBytes),
      PAGE_BUDGETS.upload.limit,
    ),
    figure(
      "scripts loaded before a click is answered",
      "files",
      loads.map(scriptsBefore),
      PAGE_BUDGETS.scriptsBefore.limit,
    ),
    figure(
      "scripts loaded afterwards",
      "files",
      loads.map((load) => load.scripts.length - scriptsBefore(load)),
      PAGE_BUDGETS.scriptsAfter.limit,
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
  readonly budget: Figure["budget"];
}

function compare(
  what: string,
  [own, without]: PageLoad[][],
  eager: PageLoad[],
  { of, budget }: Compared,
): Figure[] {
  return [
    figure(`${what}: the page as it is`, "ms", own!.map(of)),
    figure(`${what}: without monitoring`, "ms", without!.map(of)),
    figure(`${what}: all of monitoring loaded first`, "ms", eager.map(of)),
    ratio(`${what}: against without monitoring`, own!.map(of), without!.map(of), budget),
  ];
}

function blockingFigures([own, without, eager]: PageLoad[][]): Figure[] {
  const what = "total blocking time";
  const [a, b, c] = [own!.map(blocking), without!.map(blocking), eager!.map(blocking)];
  return [
    figure(`${what}: the page as it is`, "ms", a),
    figure(`${what}: without monitoring`, "ms", b),
    figure(`${what}: all of monitoring loaded first`, "ms", c),
    {
      what: `${what}: added by monitoring`,
      value: median(a) - median(b),
      unit: "ms",
      rounds: a.map((ms, round) => ms - b[round]!),
      budget: PAGE_BUDGETS.blocking.limit,
    },
  ];
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
