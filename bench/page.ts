/**
 * The page in a real Chromium, on a slow network and a slow processor: as it is, built without monitoring, and with
 * all of monitoring loaded first. The page must be built.
 */
import type { Browser } from "@playwright/test";
import { monitoringScripts } from "../routes/_monitoring_scripts.ts";
import { readManifest } from "../server/manifest.ts";
import { launchChromium } from "../tools/test/find_chromium.ts";
import { startServer } from "../tools/run/server_process.ts";
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
  const { origin: own } = server;
  const { origin: without } = withoutMonitoring;
  const telemetry = await telemetryScripts();
  await using browser = await launchChromium();
  const turns = (origins: readonly string[], until: Until, rounds: number) =>
    loadInTurns(browser, origins, until, rounds);
  const answered = await turns([own, without], "answer", ROUNDS_UNTIL_ANSWER);
  const quiet = await turns([own, without, eager.origin], "quiet", ROUNDS_UNTIL_QUIET);
  const [sent] = await turns([own], "sent", ROUNDS_UNTIL_SENT);
  return [
    ...compare("first contentful paint", answered, quiet[2]!, {
      of: ({ firstContentfulPaint }) => firstContentfulPaint,
      budget: PAGE_BUDGETS.firstPaint.limit,
    }),
    ...compare("a click is answered", answered, quiet[2]!, {
      of: ({ answeredAt = NaN }) => answeredAt,
      budget: PAGE_BUDGETS.islandsAnswer.limit,
    }),
    ...blockingFigures(quiet),
    figure(
      "longest task of more than 50 ms with telemetry's code",
      "ms",
      quiet[0]!.map((load) => longestOf(load, telemetry)),
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
      quiet[0]!.map((load) => scriptsBefore(load)),
      PAGE_BUDGETS.scriptsBefore.limit,
    ),
    figure(
      "scripts loaded afterwards",
      "files",
      quiet[0]!.map((load) => load.scripts.length - scriptsBefore(load)),
      PAGE_BUDGETS.scriptsAfter.limit,
    ),
  ];
}

/** One after the other in each round, so that other work of the machine affects all of them. */
async function loadInTurns(
  browser: Browser,
  origins: readonly string[],
  until: Until,
  rounds: number,
): Promise<PageLoad[][]> {
  const loads = origins.map((): PageLoad[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, origin] of origins.entries()) {
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

/** What tasks took beyond 50 ms each, from the first contentful paint on. */
function blocking({ longTasks, firstContentfulPaint }: PageLoad): number {
  const blocked = ({ at, ms }: LongTask) =>
    at + ms - Math.max(at, firstContentfulPaint) - LONG_TASK_MS;
  return longTasks.reduce((sum, task) => sum + Math.max(0, blocked(task)), 0);
}

function longestOf({ longTasks }: PageLoad, telemetry: ReadonlySet<string>): number {
  // Of the page's code only telemetry asks for idle time. The script that asks is one of the page's first.
  const own = longTasks.filter(({ scripts, isIdleWork }) =>
    isIdleWork || scripts.some((url) => telemetry.has(assetOf(url)))
  );
  return Math.max(0, ...own.map(({ ms }) => ms));
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
