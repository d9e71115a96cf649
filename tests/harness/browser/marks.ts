/** Numbered errors, which a test can count in the page, the browser's store and the arrivals. */
import { type BrowserContext, type CDPSession, expect, type Page } from "@playwright/test";
import { type StandInIngest, takes } from "../stand_in_ingest.ts";
import { type Arrivals, arrivalsAtIngest } from "./arrivals.ts";
import { type DiscardedEvents, discardedOf, errorsOf } from "./arrived_telemetry.ts";

/** Matches the text of every mark, for {@linkcode PageWatch.allow}. */
export const MARK = /mark \d+ /;

/**
 * Reports errors with the text `mark N `, N from `from` on. Resolves after the page's error listeners
 * were called.
 *
 * @param padding number of characters to add to each
 */
export async function makeMarks(
  page: Page,
  count: number,
  { from = 0, padding = 0 }: { from?: number; padding?: number } = {},
): Promise<readonly number[]> {
  await page.evaluate(([from, count, padding]) => {
    for (let n = from; n < from + count; n++) {
      globalThis.reportError(new Error(`mark ${n} ${"x".repeat(padding)}`));
    }
  }, [from, count, padding] as const);
  return Array.from({ length: count }, (_, index) => from + index);
}

/** The marks that arrived, sorted; a mark that arrived twice is in it twice. */
export async function arrivedMarks(arrivals: Arrivals): Promise<readonly number[]> {
  return errorsOf(await arrivals.items())
    .flatMap(({ exception }) => exception.values)
    .flatMap(({ value }) => /^mark (\d+) /.exec(value)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => one - other);
}

/** Waits until all these marks have arrived, and fails if any arrived twice. */
export async function expectOnce(arrivals: Arrivals, marks: readonly number[]): Promise<void> {
  await waitForAll(marks.length, async () => new Set(await arrivedMarks(arrivals)).size);
  expect(await arrivedMarks(arrivals)).toEqual(marks.toSorted((one, other) => one - other));
}

/** Longest time without any progress. The whole may take longer: sending hundreds is slow on a busy machine. */
const STALLED_MS = 120_000;

/** Waits until `count` returns `total`. Fails when it has not grown for {@linkcode STALLED_MS}. */
async function waitForAll(total: number, count: () => Promise<number>): Promise<void> {
  let counted = await count();
  while (counted < total) {
    const before = counted;
    await expect.poll(async () => counted = await count(), {
      message: `${total - before} of ${total} are missing`,
      timeout: STALLED_MS,
    }).toBeGreaterThan(before);
  }
}

/**
 * Waits until each of these marks has arrived or is counted as lost, and fails if one arrived twice or
 * was also counted.
 *
 * @param next the page that delivers what was left
 * @returns how many were counted
 */
export async function expectAccounted(
  arrivals: Arrivals,
  marks: readonly number[],
  next: Page,
): Promise<number> {
  const tally = async () => {
    const arrived = await arrivedMarks(arrivals);
    const counted = await lostErrors(arrivals);
    return { arrived: arrived.length, twice: arrived.length - new Set(arrived).size, counted };
  };
  await waitForAll(marks.length, async () => {
    const { arrived, counted } = await tally();
    return arrived + counted;
  });
  // Nothing is left that could still arrive or be counted.
  await expect.poll(() => storedMarks(next)).toEqual([]);
  const { arrived, twice, counted } = await tally();
  expect({ twice, sum: arrived + counted }).toEqual({ twice: 0, sum: marks.length });
  return counted;
}

/** One for each page: at a navigation, each session sets its own rate again. */
const throttling = new WeakMap<Page, Promise<CDPSession>>();

/** Slows a page's main thread by this factor. */
export async function throttle(page: Page, rate: number): Promise<void> {
  const session = throttling.get(page) ?? page.context().newCDPSession(page);
  throttling.set(page, session);
  await (await session).send("Emulation.setCPUThrottlingRate", { rate });
}

/** {@linkcode discardedOf} all items that arrived. */
export const reportedDiscarded = async (arrivals: Arrivals) => discardedOf(await arrivals.items());

/** Number of errors that all client reports count as lost, for any reason. */
async function lostErrors(arrivals: Arrivals): Promise<number> {
  return Object.entries(await reportedDiscarded(arrivals))
    .filter(([key]) => key.endsWith(":error"))
    .reduce((sum, [, quantity]) => sum + quantity, 0);
}

/** Makes the ingest accept everything from now on. Returns what it accepts. */
export function acceptFromNow(ingest: StandInIngest): Arrivals {
  const refused = ingest.requests.length;
  ingest.behave(takes());
  return arrivalsAtIngest({
    get requests() {
      return ingest.requests.slice(refused);
    },
  });
}

/** Bytes of a stored envelope that are read: an error's text is before its stack. */
const READ_BYTES = 20_000;

/** What the browser's store has: envelopes as text, from their beginning, and counts of dropped events. */
function readStore(page: Page): Promise<{ bodies: string[]; counted: DiscardedEvents[] }> {
  return page.evaluate(async (maxBytes) => {
    const database = await resultOf(indexedDB.open("envelopes"));
    const tables = database.transaction(["losses", "bodies"]);
    const rows: Promise<DiscardedEvents[][]> = resultOf(tables.objectStore("losses").getAll());
    const bodies: Uint8Array[] = await resultOf(tables.objectStore("bodies").getAll());
    database.close();
    return {
      counted: (await rows).flat(),
      bodies: bodies.map((bytes) => new TextDecoder().decode(bytes.subarray(0, maxBytes))),
    };

    function resultOf<T>(request: IDBRequest<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    }
  }, READ_BYTES);
}

/** The marks in the browser's store, sorted. */
export async function storedMarks(page: Page): Promise<readonly number[]> {
  const { bodies } = await readStore(page);
  return bodies.flatMap((body) => /"value":"mark (\d+) /.exec(body)?.[1] ?? [])
    .map(Number).sort((a, b) => a - b);
}

/** Number of errors that the browser's store counts as dropped, reported or not. */
export async function storedDiscarded(page: Page): Promise<number> {
  const { counted, bodies } = await readStore(page);
  const reported = bodies.filter((body) => body.includes('"client_report"'))
    .flatMap((body) => JSON.parse(body.split("\n")[2]!).discarded_events as DiscardedEvents[]);
  return [...counted, ...reported]
    .filter(({ reason, category }) => reason === "queue_overflow" && category === "error")
    .reduce((sum, { quantity }) => sum + quantity, 0);
}

/** Waits until the browser's store has exactly these marks. */
export async function expectStored(page: Page, marks: readonly number[]): Promise<void> {
  await expect.poll(() => storedMarks(page)).toEqual(marks);
}

/**
 * Kills the page's process: no event reaches the page.
 *
 * @param session of the page; needed if its main thread is blocked
 */
export async function crash(page: Page, session?: CDPSession): Promise<void> {
  session ??= await page.context().newCDPSession(page);
  const crashed = page.waitForEvent("crash");
  // The process ends before it can respond.
  void session.send("Page.crash").catch(() => {});
  await crashed;
}

/** Records `X-Relay-Outcome`, or else the status, of each POST, oldest first. */
export function watchOutcomes(context: BrowserContext): readonly string[] {
  const outcomes: string[] = [];
  context.on("response", (response) => {
    if (response.request().method() !== "POST") return;
    outcomes.push(response.headers()["x-relay-outcome"] ?? String(response.status()));
  });
  return outcomes;
}
