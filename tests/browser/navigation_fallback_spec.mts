/** Client navigation whose page data cannot be used: the browser loads the page in full. */
import type { Route } from "@playwright/test";
import { expect } from "../harness/browser/fixtures.ts";
import {
  expectFullLoad,
  expectHydrated,
  expectPage,
  expectSameDocument,
  follow,
  isPartial,
  link,
  open,
  test,
} from "../harness/browser/navigation_site.ts";

const html = "text/html";
const FAILURES: Readonly<Record<string, Parameters<Route["fulfill"]>[0] | "abort">> = {
  "no connection": "abort",
  "an error": { status: 500, contentType: html },
  "no page data": { contentType: html, body: "<p>Something else</p>" },
  "no HTML": { contentType: "application/json", body: "{}" },
};
test("page data request gets no connection, an error, no page data → full page load", async ({ page, watch }) => {
  watch.allow("Failed to load resource", "status of 500");
  for (const [what, response] of Object.entries(FAILURES)) {
    await test.step(what, async () => {
      await open(page);
      await page.route(
        isPartial,
        (route) =>
          response === "abort" ? route.abort("connectionrefused") : route.fulfill(response),
      );
      await link(page, "About").click();
      await expectFullLoad(page);
      await expectPage(page, "About");
      await expect(page).toHaveURL("/about");
      await page.unroute(isPartial);
    });
  }
});

test("page data request without response for 10 s → full page load", async ({ page }) => {
  await open(page);
  await page.route(isPartial, () => {/* Never answered. */});
  await link(page, "About").click();
  await expectFullLoad(page);
  await expectPage(page, "About");
});

test("history step or reload by link fails → full page load", async ({ page, watch }) => {
  watch.allow("status of 500");
  await open(page);
  await follow(page, "About");
  await page.route(isPartial, (route) => route.fulfill({ status: 500, contentType: "text/html" }));
  await page.goBack();
  await expectFullLoad(page);
  await expectPage(page, "Home");
  await page.evaluate(() => void (document.documentElement.dataset.same = "true"));
  await link(page, "This page").click();
  await expectFullLoad(page);
  await expect(page).toHaveURL("/");
});

test("link to a download → the page stays", async ({ page }) => {
  await open(page);
  const { promise: shown, resolve: respond } = Promise.withResolvers<void>();
  await page.route(/\/about/, async (route) => {
    if (isPartial(new URL(route.request().url()))) await shown;
    await route.fulfill({
      contentType: "application/octet-stream",
      headers: { "Content-Disposition": "attachment; filename=about" },
      body: "A file.",
    });
  });
  const download = page.waitForEvent("download");
  await link(page, "About").dispatchEvent("click");
  // The page stays usable.
  await expectHydrated(page);
  respond();
  await (await download).cancel();
  await expectHydrated(page);
  await expectSameDocument(page);
});

test("page data of another version, redirected or missing → full page load", async ({ page, site, watch }) => {
  watch.allow("status of 404");
  const expectNext = async (name: string, text: string) => {
    await link(page, name).click();
    await expectFullLoad(page);
    await expect(page.getByText(text).first()).toBeVisible();
    await page.evaluate(() => void (document.documentElement.dataset.same = "true"));
  };
  await open(page);
  site.deploy();
  await expectNext("About", "About anew");
  await open(page);
  site.redirectAbout();
  await expectNext("About", "Variant");
  await expect(page).toHaveURL("/");
  await expectNext("Nowhere", "No such page.");
});
