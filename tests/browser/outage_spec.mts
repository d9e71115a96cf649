import type { BrowserContext, Page } from "@playwright/test";
import { answers, takes } from "../stand_in_ingest.ts";
import { errorOf, logsOf } from "./telemetry.ts";
import { type Arrivals, expect, fingerprints, senderOf, test } from "./fixtures.ts";
import { throttle } from "./marks.ts";
import { ERRORS, make, openPage, telemetryRuns } from "./signals.ts";

const waiting = (page: Page, count: string | RegExp) =>
  expect(page.getByText(count instanceof RegExp ? count : `${count} waiting`).first())
    .toBeVisible();

/** Answers every envelope of the browser with 500, until `down` is false. */
async function breakRelay(context: BrowserContext): Promise<{ down: boolean }> {
  const relay = { down: true };
  await context.route(
    "/monitoring",
    (route) =>
      relay.down && route.request().method() === "POST"
        ? route.fulfill({ status: 500 })
        : route.continue(),
  );
  return relay;
}

/** Envelopes as a set: one may have arrived twice, none may be missing. */
async function expectAll(arrivals: Arrivals, posted: () => readonly string[]): Promise<void> {
  await expect.poll(async () => {
    const arrived = fingerprints((await arrivals.envelopes()).map(({ bytes }) => bytes));
    return [...new Set(posted())].filter((envelope) => !arrived.includes(envelope));
  }, { timeout: 60_000 }).toEqual([]);
}

test("with /monitoring answering 500 for a while, then 200, every envelope arrives", async ({ page, context, arrivals, sent, watch }) => {
  watch.allow(...Object.values(ERRORS), "status of 500");
  const relay = await breakRelay(context);
  await openPage(page);
  await make(page, "Handled error");
  await make(page, "warn");
  await waiting(page, /[1-9]\d* waiting/);
  expect(await arrivals.envelopes()).toEqual([]);

  relay.down = false;
  await expectAll(
    arrivals,
    () => fingerprints(sent.posts("/monitoring").map(({ bytes }) => bytes)),
  );
  await arrivals.waitFor("the error", (items) => errorOf(items, ERRORS.handled));
  await arrivals.waitFor("the log", (items) => logsOf(items).find(({ level }) => level === "warn"));
  await waiting(page, "0");
});

test("also after a reload, and in another tab of the same browser", async ({ page, context, arrivals, sent, watch }) => {
  watch.allow(...Object.values(ERRORS), "status of 500");
  const relay = await breakRelay(context);
  await openPage(page);
  await make(page, "Handled error");
  await make(page, "Uncaught error");
  await waiting(page, /[2-9]\d* waiting|[1-9]\d+ waiting/);
  await page.reload();
  await telemetryRuns(page);
  await make(page, "fatal");
  await expect.poll(() =>
    sent.posts("/monitoring").some(({ bytes }) =>
      new TextDecoder().decode(bytes).includes("A log of level fatal")
    )
  ).toBe(true);
  expect(await arrivals.envelopes()).toEqual([]);
  await page.close();

  relay.down = false;
  const next = await context.newPage();
  await next.goto("/");
  await expectAll(
    arrivals,
    () => fingerprints(sent.posts("/monitoring").map(({ bytes }) => bytes)),
  );
  for (const text of [ERRORS.handled, ERRORS.uncaught]) {
    await arrivals.waitFor(text, (items) => errorOf(items, text));
  }
  await arrivals.waitFor(
    "the log",
    (items) => logsOf(items).find(({ level }) => level === "fatal"),
  );
});

test("from one tab to another: what leaves the hidden one is not sent by the other too", async ({ page, context, sent, watch }) => {
  watch.allow(/^burst/);
  await openPage(page);
  const next = await context.newPage();
  await openPage(next);
  await waiting(page, "0");
  await waiting(next, "0");

  // Answers take long enough for the other tab to look around.
  await context.route("/monitoring", async (route) => {
    if (route.request().method() === "POST") await new Promise((later) => setTimeout(later, 300));
    await route.continue();
  });
  await page.evaluate(() => {
    for (let n = 0; n < 6; n++) setTimeout(() => Promise.reject(new Error(`burst ${n}`)));
    setTimeout(() => show("hidden"), 20);
    function show(state: string) {
      Object.defineProperty(document, "visibilityState", { value: state });
      document.dispatchEvent(new Event("visibilitychange"));
    }
  });
  const bursts = () =>
    sent.posts("/monitoring")
      .filter(({ bytes }) => new TextDecoder().decode(bytes).includes('"value":"burst '));
  await expect.poll(() => bursts().length).toBeGreaterThan(0);
  await next.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await waiting(page, "0");
  await waiting(next, "0");
  expect(bursts()).toHaveLength(6);
});

test.describe("with the ingest down behind a relay that has no spool", () => {
  test.use({ mode: "relay", serverEnv: { SPOOL: "none" } });

  test("nothing is acknowledged, and everything arrives once it is back", async ({ page, ingest, sent, arrivals, watch }) => {
    watch.allow(...Object.values(ERRORS), "status of 503");
    ingest.behave(answers(500));
    await openPage(page);
    await make(page, "Handled error");
    await waiting(page, /[1-9]\d* waiting/);
    await ingest.waitFor((all) => all.some(({ body }) => senderOf(body) === "page"));

    const before = ingest.requests.length;
    ingest.behave(takes());
    await expect.poll(() => {
      const arrived = fingerprints(ingest.requests.slice(before).map(({ body }) => body));
      const made = fingerprints(sent.posts("/monitoring").map(({ bytes }) => bytes));
      return [...new Set(made)].filter((envelope) => !arrived.includes(envelope));
    }, { timeout: 60_000 }).toEqual([]);
    await arrivals.waitFor("the error", (items) => errorOf(items, ERRORS.handled));
    await waiting(page, "0");
  });
});

test("a burst of 500 errors arrives whole", async ({ page, arrivals, watch }) => {
  watch.allow(/^burst \d+$/);
  await openPage(page);
  await page.evaluate(async () => {
    for (let n = 0; n < 500; n++) setTimeout(() => Promise.reject(new Error(`burst ${n}`)));
    await new Promise((thrown) => setTimeout(thrown));
  });
  // Slowed down, the page would take minutes to send them.
  await throttle(page, 1);
  await expect.poll(async () => {
    const text = await arrivals.text();
    return Array.from({ length: 500 }, (_, n) => n).filter((n) => !text.includes(`"burst ${n}"`))
      .length;
  }, { timeout: 75_000 }).toBe(0);
});

test("75 KB of text of three bytes a letter leaves, which keepalive alone would never let out", async ({ page, arrivals, watch }) => {
  const long = "\u6f22".repeat(25_000);
  watch.allow(/\u6f22/);
  await openPage(page);
  await page.evaluate((message) => void Promise.reject(new Error(`long ${message}`)), long);
  await arrivals.waitForItem(
    "the long error",
    ({ type, payload }) =>
      type === "event" && new TextDecoder().decode(payload).includes("long \u6f22"),
  );
});
