/**
 * A recording of five minutes and 20,000 events in a real Chromium: the time from the click in the list until the player
 * shows it, and of a seek from one end to the other. The page must be built.
 */
import type { Page } from "@playwright/test";
import { element, pageEvents, segmentEnvelope, text } from "../tests/recorded_segments.ts";
import { launchChromium } from "../tools/test/find_chromium.ts";
import { startServer } from "../tests/server_process.ts";
import { RECORDING_BUDGETS } from "./budgets.ts";
import { type Figure, figure } from "./figures.ts";

const REPLAY_ID = "0123456789abcdef0123456789abcdef";
const EVENTS = 20_000;
const LENGTH_MS = 300_000;
/** SDKs send a segment every five seconds. */
const SEGMENTS = 60;
/** Rows of the recorded list: an added row replaces the oldest. */
const ROWS = 200;
const ROUNDS = 3;

/** Opens the recording and seeks in it, in several rounds. */
export async function bench(): Promise<Figure[]> {
  await using server = await startServer();
  const start = Date.now() - LENGTH_MS - 60_000;
  await postRecording(server.origin, start);
  await using browser = await launchChromium();
  const opened: number[] = [];
  const seeks: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const page = await browser.newPage({ baseURL: server.origin });
    await page.goto("/#/recordings");
    const row = page.locator(`[data-row="${REPLAY_ID}"]`);
    await row.waitFor();
    opened.push(
      await untilShown(page, "list", () => row.evaluate((link: HTMLElement) => link.click())),
    );
    const seek = (ms: number) =>
      page.evaluate(
        (hash) => void (location.hash = hash),
        `#/recordings/${REPLAY_ID}?at=${start + ms}`,
      );
    seeks.push(await untilShown(page, EVENTS - 1, () => seek(LENGTH_MS)));
    seeks.push(await untilShown(page, EVENTS / 2, () => seek(LENGTH_MS / 2 + 10)));
    await page.close();
  }
  return [
    figure(
      `a recording of 5 minutes and ${EVENTS} events, from the click until it is shown`,
      opened,
      RECORDING_BUDGETS.open,
    ),
    figure("…a seek to its end, and back to its middle", seeks, RECORDING_BUDGETS.seek),
  ];
}

/** Milliseconds from an action until the player shows what the event with this number has made. */
async function untilShown(
  page: Page,
  event: number | "list",
  act: () => Promise<void>,
): Promise<number> {
  const start = Date.now();
  await act();
  const frame = page.frameLocator(".player iframe");
  await frame.locator(`[data-event="${event}"]`).waitFor({ state: "attached" });
  return Date.now() - start;
}

/** Rows are added to a list and removed again; between them the pointer moves and the page scrolls. */
async function postRecording(origin: string, start: number): Promise<void> {
  const list = element(10, "ul", { "data-event": "list" });
  const step = (LENGTH_MS - 10) / EVENTS;
  const events = Array.from({ length: EVENTS }, (_, n) => {
    const timestamp = Math.round(start + 2 + n * step);
    const id = 100 + n * 2;
    if (n % 4 === 1) return pointer(timestamp);
    return {
      type: 3,
      timestamp,
      data: {
        source: 0,
        attributes: [],
        texts: [],
        removes: n < ROWS ? [] : [{ parentId: 10, id: 100 + (n - ROWS) * 2 }],
        adds: [
          { parentId: 10, nextId: null, node: element(id, "li", { "data-event": String(n) }) },
          { parentId: id, nextId: null, node: text(id + 1, `**** ***** ${"*".repeat(n % 9)}`) },
        ],
      },
    };
  });
  const all = [...pageEvents(start, [list]), ...events];
  const size = Math.ceil(all.length / SEGMENTS);
  for (let number = 0; number < SEGMENTS; number++) {
    const body = segmentEnvelope({
      replayId: REPLAY_ID,
      number,
      events: all.slice(number * size, (number + 1) * size),
      isCompressed: true,
    });
    const response = await fetch(`${origin}/monitoring`, { method: "POST", body });
    if (!response.ok) throw new Error(`Cannot post a segment: ${await response.text()}`);
  }
}

/** Half a second of pointer positions, as dense as a mouse reports them. */
function pointer(timestamp: number) {
  const positions = Array.from({ length: 20 }, (_, n) => ({
    x: n * 10,
    y: n * 5,
    id: 5,
    timeOffset: n * 25 - 500,
  }));
  return { type: 3, timestamp, data: { source: 1, positions } };
}
