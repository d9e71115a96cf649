/** Back in the history, with the page from the browser's HTTP cache. */
import { expect, opOf, spansOf, test } from "../harness/browser/fixtures.ts";
import { openPage, shownTraceId } from "../harness/browser/signals.ts";

test("back to a cached page → a new trace, not that of the first load", async ({ page, arrivals }) => {
  await openPage(page);
  const first = await shownTraceId(page);
  // A page that is left while it sends may only be able to count its spans as lost.
  await arrivals.waitForSpan("the first page load", (span) => opOf(span) === "pageload");
  await page.goto("/robots.txt");
  await page.goBack();
  await expect(page.getByRole("region", { name: "This visit" })).toContainText("running");
  const second = await shownTraceId(page);
  // The cached response has the trace of the first load.
  const [type, size, timing] = await page.evaluate(() => {
    const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return [entry?.type, entry?.transferSize, entry?.serverTiming[0]?.description];
  });
  expect([type, size]).toEqual(["back_forward", 0]);
  expect(timing).toContain(first);
  expect(second).not.toBe(first);

  const loads = await arrivals.waitFor("both page loads", (items) => {
    // Without duplicates: delivery is at least once.
    const found = new Set(
      spansOf(items).filter((span) => opOf(span) === "pageload").map(({ trace_id }) => trace_id),
    );
    return found.size === 2 && found;
  });
  expect(loads).toEqual(new Set([first, second]));
});
