/** A page that the browser freezes in its back/forward cache and shows again. */
import { CHROMIUM_ARGS } from "../../tools/find_chromium.ts";
import { expect, test as base } from "../harness/browser/fixtures.ts";
import { expectAccounted, makeMarks, MARK } from "../harness/browser/marks.ts";
import { openPage } from "../harness/browser/signals.ts";

/** In relay mode: the stream of the inbox's live rows keeps a page out of the cache. */
const test = base.extend<Record<never, never>, { cached: void }>({
  launchOptions: [async ({ chromium }, provide) => {
    await provide({
      executablePath: chromium,
      args: [...CHROMIUM_ARGS],
      ignoreDefaultArgs: ["--disable-back-forward-cache"],
    });
  }, { scope: "worker" }],
});

test.use({ mode: "relay" });

test("page with errors returns from the back/forward cache → each arrives once, none counted", async ({ page, arrivals, watch }) => {
  watch.allow(MARK);
  await openPage(page);
  const marks: number[] = [];
  const makeMore = async () =>
    void marks.push(...await makeMarks(page, 30, { from: marks.length }));
  // A page that stores or sends an event holds a lock, which keeps it out of the cache: it leaves as soon as it has none.
  // Again if it sends its spans at this moment.
  await expect(async () => {
    await makeMore();
    await page.evaluate(async () => {
      addEventListener("pageshow", ({ persisted }) => {
        if (persisted) document.title = "returned";
      });
      const isBusy = async () =>
        Object.keys(localStorage).some((key) => key.startsWith("envelope:")) ||
        (await navigator.locks.query()).held!.length > 0;
      while (await isBusy()) await new Promise((resolve) => setTimeout(resolve, 100));
      location.assign("/robots.txt");
    });
    await page.waitForURL("/robots.txt");
    await page.evaluate(() => history.back());
    await expect(page).toHaveTitle("returned", { timeout: 10_000 });
  }).toPass();
  await makeMore();
  expect(await expectAccounted(arrivals, marks, page)).toBe(0);
});
