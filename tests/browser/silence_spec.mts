import type { BrowserContext, Page, Request } from "@playwright/test";
import { PAGE_VIEWS } from "../../islands/shared/view.ts";
import { answers, takes } from "../harness/stand_in_ingest.ts";
import { type Arrivals, expect, test } from "../harness/browser/fixtures.ts";
import {
  ERRORS,
  make,
  openPage,
  sampleRecording,
  setHidden,
  shownTraceId,
} from "../harness/browser/signals.ts";
import { dropFile, openView } from "../harness/browser/views.ts";

/** Longer than any interval at which the SDK sends. */
const SILENCE_MS = 20_000;

test("tab hidden → no stream, no requests; shown again → what arrived meanwhile", async ({ page, context, watch }) => {
  watch.allow(ERRORS.handled);
  const isStream = (request: Request) => request.resourceType() === "eventsource";
  const opened = page.waitForRequest(isStream);
  await openPage(page);
  await openView(page, "Errors");
  // The view's scripts are loaded.
  await expect(page.locator(".errors").getByRole("searchbox")).toBeEnabled();
  await opened;
  const rows = (tab: Page) => tab.locator(".errors a.row-link");
  const closed = page.waitForEvent("requestfailed", isStream);
  await setHidden(page, true);
  await closed;
  const requests: string[] = [];
  page.on("request", (request) => {
    // Excludes the page's last envelopes, and scripts that were requested before.
    if (request.method() !== "POST" && request.resourceType() !== "script") {
      requests.push(request.url());
    }
  });
  const other = await context.newPage();
  await openPage(other);
  await make(other, "Handled error");
  await openView(other, "Errors");
  await expect(rows(other).first()).toBeVisible();
  expect(requests).toEqual([]);
  await setHidden(page, false);
  await expect(rows(page).first()).toBeVisible();
});

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
    await page.locator(".log-line", { hasText: "made on the page" }).first().click();
    await expect(page.getByRole("link", { name: "Open envelope" })).toBeVisible();
  },
  async "an envelope"(page) {
    await openView(page, "Envelopes");
    await page.locator(".envelopes a.row-link").first().click();
    await expect(page.getByText("Envelope header")).toBeVisible();
  },
  async "a file"(page) {
    await openView(page, "Envelopes");
    await expect(page.locator(".envelopes").getByRole("searchbox")).toBeEnabled();
    await dropFile(page, { name: "saved.envelope", bytes: new TextEncoder().encode("{}\n") });
    await expect(page.getByRole("heading", { name: "saved.envelope" })).toBeVisible();
  },
};

test("tabs with every view and details of every kind → no requests", async ({ context, arrivals, serverArrivals, watch }) => {
  watch.allow(ERRORS.handled);
  for (const [n, [what, open]] of Object.entries(DETAILS).entries()) {
    await test.step(what, async () => {
      const tab = await context.newPage();
      // Some visits are recorded, the others buffered.
      await sampleRecording(tab, n % 2 === 0);
      await openPage(tab);
      await make(tab, "Handled error");
      await make(tab, "info");
      await open(tab);
    });
  }
  for (const [view, name] of Object.entries(PAGE_VIEWS)) {
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

test.describe("relay mode", () => {
  test.use({ mode: "relay" });

  test("ingest back after an outage → no requests", async ({ page, context, ingest, watch }) => {
    watch.allow(ERRORS.handled);
    await openPage(page);
    ingest.behave(answers(503));
    await make(page, "Handled error");
    const strip = page.getByRole("region", { name: "Flow" });
    await expect(strip).toContainText("of all senders in its spool");
    ingest.behave(takes());
    // The first text is shown if no envelope was delivered without the spool meanwhile.
    await expect(strip).toContainText(/spool is empty|All delivered/);
    await expect(strip).not.toContainText("of all senders in its spool");
    await expectSilence(context);
  });
});

/**
 * Waits until no page has made a request for {@linkcode SILENCE_MS}.
 *
 * @param serverArrivals telemetry of the server, which counts as a request, too
 */
async function expectSilence(context: BrowserContext, serverArrivals?: Arrivals): Promise<void> {
  let lastActivityAt = Date.now();
  context.on("request", () => void (lastActivityAt = Date.now()));
  let arrived = 0;
  await expect.poll(async () => {
    const length = (await serverArrivals?.envelopes())?.length ?? 0;
    if (length !== arrived) lastActivityAt = Date.now();
    arrived = length;
    return Date.now() - lastActivityAt;
  }).toBeGreaterThan(SILENCE_MS);
}
