import { expect, test } from "./fixtures.ts";
import { make, openPage } from "./signals.ts";

/** No sender of the SDK waits longer than this between two rounds. */
const SILENCE_MS = 20_000;

for (const [kind, draw] of [["recorded", 0.05], ["buffered", 0.5]] as const) {
  test(`an idle page is silent, its inbox open and the visit ${kind}`, async ({ page, context, arrivals, serverArrivals }) => {
    let last = Date.now();
    context.on("request", () => void (last = Date.now()));
    await page.addInitScript((fixed) => void (Math.random = () => fixed), draw);
    await openPage(page);
    await make(page, "info");
    await arrivals.waitForItem("the log", ({ type }) => type === "log");
    let reported = 0;
    await expect.poll(async () => {
      // Nor does the server say anything by itself.
      const { length } = await serverArrivals.envelopes();
      if (length !== reported) last = Date.now();
      reported = length;
      return Date.now() - last;
    }, { timeout: 70_000 }).toBeGreaterThan(SILENCE_MS);

    // Nobody watches itself: the console's own requests are in no span and no breadcrumb.
    const text = await arrivals.text() + await serverArrivals.text();
    expect(text).not.toMatch(/monitoring\/inbox|\/monitoring"/);
  });
}
