import type { BrowserContext, Page } from "@playwright/test";
import { answers } from "../harness/stand_in_ingest.ts";
import {
  ANY_SPEED,
  type Arrivals,
  expect,
  fingerprints,
  senderOf,
  test,
} from "../harness/browser/fixtures.ts";
import { acceptFromNow, storedMatches } from "../harness/browser/marks.ts";
import type { SentRequests } from "../harness/browser/requests.ts";
import { ERRORS, make, openPage, setHidden, waitForTelemetry } from "../harness/browser/signals.ts";
import { flow } from "../harness/browser/views.ts";

/** Slow enough that another tab reads the store before the response. */
const RESPONSE_MS = 300;

/** Waits until the page shows that no envelope waits, or this text. */
const expectWaiting = (page: Page, text = /(?<!\d)0 waiting/) =>
  expect(flow(page)).toContainText(text);

/** Makes the relay answer 500 until `isDown` is false, and counts these answers. */
async function breakRelay(
  context: BrowserContext,
): Promise<{ isDown: boolean; failed: number }> {
  const relay = { isDown: true, failed: 0 };
  await context.route("/monitoring", (route) => {
    if (!relay.isDown || route.request().method() !== "POST") return route.continue();
    relay.failed++;
    return route.fulfill({ status: 500 });
  });
  return relay;
}

/** Waits until all posted envelopes have arrived, once or more. */
async function expectAll(arrivals: Arrivals, sent: SentRequests): Promise<void> {
  await expect.poll(async () => {
    const arrived = fingerprints((await arrivals.envelopes()).map(({ decoded }) => decoded));
    const posted = fingerprints(sent.posts("/monitoring").map(({ decoded }) => decoded));
    return posted.filter((envelope) => !arrived.includes(envelope));
  }).toEqual([]);
}

test(
  "/monitoring answers 500 for a while, then 200 → every envelope arrives",
  ANY_SPEED,
  async ({ page, context, arrivals, sent, watch }) => {
    watch.allow(...Object.values(ERRORS), "status of 500");
    const relay = await breakRelay(context);
    await openPage(page);
    await make(page, "Handled error");
    await make(page, "warn");
    await expectWaiting(page, /[1-9]\d* waiting/);
    expect(await arrivals.envelopes()).toEqual([]);

    relay.isDown = false;
    await expectAll(arrivals, sent);
    await arrivals.waitForError(ERRORS.handled);
    await arrivals.waitForLog("the log", ({ level }) => level === "warn");
    await expectWaiting(page);
  },
);

test("/monitoring answers 500, page reloaded and closed → another tab delivers every envelope", async ({ page, context, arrivals, sent, watch }) => {
  watch.allow(...Object.values(ERRORS), "status of 500");
  const relay = await breakRelay(context);
  await openPage(page);
  await make(page, "Handled error");
  await make(page, "Uncaught error");
  await expectWaiting(page, /[2-9]\d* waiting|[1-9]\d+ waiting/);
  await page.reload();
  await waitForTelemetry(page);
  await make(page, "fatal");
  // Waits for the store, not for a request: the circuit breaker may be open for minutes.
  await expect.poll(() => storedMatches(page, /A log of level fatal/)).toHaveLength(1);
  // Does not assert that nothing arrived: requests in flight during the reload bypass the route.
  expect(relay.failed).toBeGreaterThan(1);
  await page.close();

  relay.isDown = false;
  const next = await context.newPage();
  await next.goto("/");
  await expectAll(arrivals, sent);
  for (const text of [ERRORS.handled, ERRORS.uncaught]) {
    await arrivals.waitForError(text);
  }
  await arrivals.waitForLog("the log", ({ level }) => level === "fatal");
});

test("tab hidden, another shown → each envelope is sent once", async ({ page, context, sent, watch }) => {
  watch.allow(/^burst/);
  await openPage(page);
  const next = await context.newPage();
  await openPage(next);
  await expectWaiting(page);
  await expectWaiting(next);

  await context.route("/monitoring", async (route) => {
    if (route.request().method() === "POST") {
      await new Promise((resolve) => setTimeout(resolve, RESPONSE_MS));
    }
    await route.continue();
  });
  await page.evaluate(() => {
    for (let n = 0; n < 6; n++) setTimeout(() => Promise.reject(new Error(`burst ${n}`)));
  });
  await setHidden(page, true);
  const bursts = () =>
    sent.posts("/monitoring")
      .filter(({ decoded }) => new TextDecoder().decode(decoded).includes('"value":"burst '));
  await expect.poll(() => bursts().length).toBeGreaterThan(0);
  await setHidden(next, false);
  // The count is shown with a delay: wait for all requests first, then check that none is repeated.
  await expect.poll(() => bursts().length).toBeGreaterThanOrEqual(6);
  await expectWaiting(page);
  await expectWaiting(next);
  expect(bursts()).toHaveLength(6);
});

test.describe("ingest down, relay without spool", ANY_SPEED, () => {
  test.use({ mode: "relay", serverEnv: { SPOOL: "none" } });

  test("ingest back → every envelope arrives", async ({ page, ingest, sent, watch }) => {
    watch.allow(...Object.values(ERRORS), "status of 503");
    ingest.behave(answers(500));
    await openPage(page);
    await make(page, "Handled error");
    await expectWaiting(page, /[1-9]\d* waiting/);
    await ingest.waitFor((all) => all.some(({ body }) => senderOf(body) === "page"));

    const accepted = acceptFromNow(ingest);
    await expectAll(accepted, sent);
    await accepted.waitForError(ERRORS.handled);
    await expectWaiting(page);
  });
});
