/** Client navigation while another navigation runs. */
import { expect } from "../harness/browser/fixtures.ts";
import {
  expectHydrated,
  expectPage,
  expectSameDocument,
  follow,
  historyLength,
  isPartial,
  link,
  open,
  test,
} from "../harness/browser/navigation_site.ts";
import { holdRequests } from "../harness/browser/requests.ts";

test("two navigations at once → only the newer one, one history entry", async ({ page }) => {
  await open(page);
  const before = await historyLength(page);
  const release = await holdRequests(page, /\/about\?/);
  const requested = page.waitForRequest(/\/about\?/);
  await link(page, "About").click();
  const first = await requested;
  const cancelled = page.waitForEvent("requestfailed", (request) => request === first);
  await link(page, "Long").first().click();
  await cancelled;
  await expectPage(page, "Long");
  release();
  expect(await historyLength(page)).toBe(before + 1);
  await page.goBack();
  await expectPage(page, "Home");
  await expectSameDocument(page);
});

test("link clicked while the browser loads a document → the newer one wins", async ({ page, watch }) => {
  watch.allow("status of 500");
  await open(page);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const leaving = page.waitForRequest((request) => request.isNavigationRequest());
  await page.route(/\/about/, async (route) => {
    if (!route.request().isNavigationRequest()) {
      return await route.fulfill({ status: 500, contentType: "text/html" });
    }
    await released;
    // The request has been cancelled.
    await route.continue().catch(() => {});
  });
  await page.evaluate(() => {
    const clickBy = (name: string) =>
      [...document.links].find(({ textContent }) => textContent === name)!.click();
    // By a timer: Playwright runs nothing in the page while the browser loads another document.
    addEventListener("beforeunload", () => setTimeout(() => clickBy("Long"), 1_000), {
      once: true,
    });
    clickBy("About");
  });
  await leaving;
  await expectPage(page, "Long");
  release();
  await page.waitForLoadState("networkidle");
  await expectPage(page, "Long");
  await expect(page).toHaveURL("/long");
});

test("back/forward cache during a history step → the step is completed", async ({ page }) => {
  await open(page, "/about");
  await follow(page, "Home");
  await page.route(isPartial, () => {
    // Never answered.
  });
  await page.evaluate(() => history.back());
  await expect(page).toHaveURL("/about");
  const dispatchTransition = (type: string) =>
    page.evaluate((type) => {
      dispatchEvent(new PageTransitionEvent(type, { persisted: true }));
    }, type);
  await dispatchTransition("pagehide");
  await page.unroute(isPartial);
  await dispatchTransition("pageshow");
  await expectPage(page, "About");
  await expectSameDocument(page);
});

test("back during a navigation → cancelled, the displayed page stays", async ({ page, sent }) => {
  await open(page, "/about");
  await follow(page, "Home");
  const release = await holdRequests(page, /\/(long)?\?fresh/);
  await link(page, "Long").first().click();
  await page.goBack();
  await expectPage(page, "About");
  const requested = () =>
    sent.all.filter(({ url }) => isPartial(url)).map(({ url }) => url.pathname);
  await page.goForward();
  await expect.poll(() => requested().at(-1)).toBe("/");
  // The displayed page needs no request: the other one has not arrived.
  const before = requested();
  await page.goBack();
  await expect(page).toHaveURL("/about");
  await expectPage(page, "About");
  release();
  await expectHydrated(page);
  expect(requested()).toEqual(before);
  await expectSameDocument(page);
});
