import type { BrowserContext, Page } from "@playwright/test";
import { VIEWS } from "../../islands/shell/registry.ts";
import { type Arrivals, expect, test } from "../harness/browser/fixtures.ts";
import {
  ERRORS,
  make,
  openPage,
  sampleRecording,
  shownTraceId,
} from "../harness/browser/signals.ts";
import { openView } from "../harness/browser/views.ts";

/** Longer than any interval at which the SDK sends. */
const SILENCE_MS = 20_000;
/** Within this time tabs on a busy machine have sent what opening them made. */
const SETTLING_MS = 300_000;

/** How each kind of detail is opened, in a tab of its own that has made an error and a log. */
const DETAILS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  async "a span"(page) {
    const traceId = await shownTraceId(page);
    await openView(page, "Traces");
    await page.locator(`a[data-row="${traceId}"]`).click();
    await page.getByRole("treegrid").getByRole("row", { name: "pageload" }).first().click();
    await expect(page.locator(".span-detail")).toBeVisible();
  },
  async "an error"(page) {
    await openView(page, "Errors");
    await page.locator(".errors a.row-link").first().click();
    await expect(page.getByRole("article")).toContainText(ERRORS.handled);
  },
  async "a log"(page) {
    await openView(page, "Logs");
    await page.locator(".logs a.row-link", { hasText: "made on the page" }).first().click();
    await expect(page.getByRole("link", { name: "Open envelope" })).toBeVisible();
  },
  async "an envelope"(page) {
    await openView(page, "Envelopes");
    await page.locator(".envelopes a.row-link").first().click();
    await expect(page.getByText("Envelope header")).toBeVisible();
  },
};

test("tabs with every view and details of every kind → no requests", async ({ context, arrivals, serverArrivals, watch }) => {
  // On a busy machine the tabs take minutes to open, and each long frame makes a span.
  test.slow();
  watch.allow(ERRORS.handled);
  for (const [n, [what, open]] of Object.entries(DETAILS).entries()) {
    await test.step(what, async () => {
      const tab = await context.newPage();
      // Some sessions are recorded, the others buffered.
      await sampleRecording(tab, n % 2 === 0);
      await openPage(tab);
      await make(tab, "handled");
      await make(tab, "info");
      await open(tab);
    });
  }
  for (const { id: view, title: name } of VIEWS) {
    const tab = await context.newPage();
    await tab.goto(`/#/${view}`);
    await expect(tab.getByRole("navigation", { name: "Views" }).locator("[aria-current]"))
      .toHaveAccessibleName(name);
  }
  await expectSilence(context, serverArrivals);
  await test.step("requests of monitoring → in no span and no breadcrumb", async () => {
    const text = await arrivals.text() + await serverArrivals.text();
    expect(text).not.toMatch(/monitoring\/inbox|\/monitoring"/);
  });
});

/** Waits until no page has made a request, and the server has sent nothing, for {@linkcode SILENCE_MS}. */
async function expectSilence(context: BrowserContext, serverArrivals: Arrivals): Promise<void> {
  let lastActivityAt = Date.now();
  context.on("request", () => void (lastActivityAt = Date.now()));
  let arrived = 0;
  await expect.poll(async () => {
    const { length } = await serverArrivals.envelopes();
    if (length !== arrived) lastActivityAt = Date.now();
    arrived = length;
    return Date.now() - lastActivityAt;
  }, { timeout: SETTLING_MS }).toBeGreaterThan(SILENCE_MS);
}
