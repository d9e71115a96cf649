/** A return to the tab after another version was deployed: the page reloads. */
import type { Page } from "@playwright/test";
import { expect } from "../harness/browser/fixtures.ts";
import {
  expectFullLoad,
  expectHydrated,
  expectSameDocument,
  isPartial,
  open,
  test,
} from "../harness/browser/navigation_site.ts";
import { setHidden } from "../harness/browser/signals.ts";

/** Opens a page and waits until the version check has loaded too, which is the last request. */
async function openIdle(page: Page, path: string): Promise<void> {
  await open(page, path);
  await page.waitForLoadState("networkidle");
}

/** Waits for the next response to a version check. */
const nextCheck = (page: Page) =>
  page.waitForResponse((response) =>
    response.request().method() === "HEAD" && isPartial(new URL(response.url()))
  );

/** Hides the tab for `ms` and shows it again. */
async function leave(page: Page, ms: number): Promise<void> {
  await setHidden(page, true);
  await page.clock.fastForward(ms);
  await setHidden(page, false);
}

test.beforeEach(async ({ page }) => {
  await page.clock.install();
});

/** Ways to return to the page after half a minute. */
const RETURNS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  "tab shown again": (page) => leave(page, 31_000),
  async "page from the back/forward cache"(page) {
    await page.clock.fastForward(31_000);
    await page.evaluate(() =>
      dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))
    );
  },
};
for (const [what, comeBack] of Object.entries(RETURNS)) {
  test(`another version deployed, ${what} → the page reloads`, async ({ page, site }) => {
    await openIdle(page, "/about");
    site.deploy();
    await comeBack(page);
    await expectFullLoad(page);
    await expect(page.getByText("About anew")).toBeVisible();
  });
}

test("same version, check fails → no reload, at most one check in 30 s", async ({ page, sent, watch }) => {
  watch.allow("Failed to load resource");
  await openIdle(page, "/about");
  const checks = () => sent.all.filter(({ method }) => method === "HEAD").length;
  await leave(page, 5_000); // too soon after the page load
  const checked = nextCheck(page);
  await leave(page, 31_000);
  await checked;
  await leave(page, 10_000); // too soon after the last check
  const checkedAgain = nextCheck(page);
  await leave(page, 21_000);
  await checkedAgain;
  expect(checks()).toBe(2);
  // A check that fails changes nothing.
  await page.route(isPartial, (route) => route.abort("internetdisconnected"));
  const failed = page.waitForEvent("requestfailed");
  await leave(page, 31_000);
  await failed;
  await expectHydrated(page);
  await expectSameDocument(page);
});

test("field with input or focus → reload is postponed", async ({ page, site }) => {
  await openIdle(page, "/long");
  await page.getByLabel("Note").fill("half a sentence");
  await page.getByRole("button").focus();
  site.deploy();
  let checked = nextCheck(page);
  await leave(page, 31_000);
  await checked;
  await expectHydrated(page);
  await page.getByLabel("Note").fill("");
  // Empty, but focused.
  checked = nextCheck(page);
  await leave(page, 2_000);
  await checked;
  await expectHydrated(page);
  await expectSameDocument(page);
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await leave(page, 2_000);
  await expectFullLoad(page);
});
