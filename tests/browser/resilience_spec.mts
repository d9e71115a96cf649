/** Monitoring never breaks the page. */
import type { Page } from "@playwright/test";
import { blockLaterScripts, forbidIndexedDb, refuseWorkers } from "./blocked_ways.ts";
import { expect, test } from "./fixtures.ts";
import { make, openPage } from "./signals.ts";

const visit = (page: Page) => page.getByRole("region", { name: "This visit" });

/** The page answers: a control does what it says. */
async function answers(page: Page): Promise<void> {
  await make(page, "Handled error");
  await expect(page.getByText("An error was handled and reported.")).toBeVisible();
}

test("with the SDK blocked the page works and says so", async ({ page, watch }) => {
  watch.allow("ERR_BLOCKED_BY_CLIENT");
  await blockLaterScripts(page);
  await page.goto("/");
  await expect(visit(page)).toContainText("failed:");
  await answers(page);
});

test("with /monitoring blocked the page works and says what waits", async ({ page, watch }) => {
  watch.allow("ERR_BLOCKED_BY_CLIENT");
  await page.route(/\/monitoring$/, (route) => route.abort("blockedbyclient"));
  await openPage(page);
  await answers(page);
  await expect(page.getByText(/[1-9]\d* waiting/).first()).toBeVisible();
});

test("with IndexedDB forbidden everything arrives all the same", async ({ page, arrivals }) => {
  await forbidIndexedDb(page);
  await openPage(page);
  await answers(page);
  await arrivals.waitForItem("the error", ({ type }) => type === "event");
});

test("with Web Locks forbidden everything arrives all the same", async ({ page, arrivals }) => {
  await page.addInitScript(() => {
    LockManager.prototype.request = () =>
      Promise.reject(new DOMException("forbidden", "SecurityError"));
  });
  await openPage(page);
  await answers(page);
  await arrivals.waitForItem("the error", ({ type }) => type === "event");
});

test("with workers refused the recording still arrives", async ({ page, arrivals }) => {
  await refuseWorkers(page);
  await openPage(page);
  await answers(page);
  await arrivals.waitForItem("the recording", ({ type }) => type === "replay_recording");
});
