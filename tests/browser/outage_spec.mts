import { expect, fingerprints, test } from "../harness/browser/fixtures.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";
import { ownCount, pipelineMark } from "../harness/browser/views.ts";

test(
  "/monitoring answers 500 for a while, then 200 → every envelope arrives",
  async ({ page, context, arrivals, sent, watch }) => {
    watch.allow(...Object.values(ERRORS), "status of 500");
    let isDown = true;
    await context.route(
      "/monitoring",
      (route) =>
        isDown && route.request().method() === "POST"
          ? route.fulfill({ status: 500 })
          : route.continue(),
    );
    await openPage(page);
    await make(page, "handled");
    await make(page, "warn");
    await expect(pipelineMark(page)).toContainText(/This console: [1-9]\d* waiting/);
    expect(await arrivals.envelopes()).toEqual([]);

    isDown = false;
    // All that were posted, once or more.
    await expect.poll(async () => {
      const arrived = fingerprints((await arrivals.envelopes()).map(({ decoded }) => decoded));
      const posted = fingerprints(sent.posts("/monitoring").map(({ decoded }) => decoded));
      return posted.filter((envelope) => !arrived.includes(envelope));
    }).toEqual([]);
    await arrivals.waitForError(ERRORS.handled);
    await arrivals.waitForLog("the log", ({ level }) => level === "warn");
    await expect(ownCount(page, "Waiting in this browser")).toHaveText("0");
  },
);

test("envelope waits on a phone → shown after a while above the bar; nothing else on a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.route("/monitoring", (route) => {
    if (route.request().method() !== "POST") return route.continue();
  });
  await page.goto("/#/traces");
  await expect(page.getByRole("searchbox")).toBeVisible();
  await expect(pipelineMark(page)).toBeHidden();
  const header = () => page.locator(".brand").boundingBox();
  const before = await header();
  await expect(page.getByRole("button", { name: /waiting/ })).toBeVisible();
  expect(await header()).toEqual(before);
});
