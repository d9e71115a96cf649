import { ANY_SPEED, expect, fingerprints, test } from "../harness/browser/fixtures.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";
import { flow } from "../harness/browser/views.ts";

test(
  "/monitoring answers 500 for a while, then 200 → every envelope arrives",
  ANY_SPEED,
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
    await make(page, "Handled error");
    await make(page, "warn");
    await expect(flow(page)).toContainText(/[1-9]\d* waiting/);
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
    await expect(flow(page)).toContainText(/(?<!\d)0 waiting/);
  },
);

test("envelope waits on a phone → shown after a while, in the place of the name: nothing moves", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.route("/monitoring", (route) => {
    if (route.request().method() !== "POST") return route.continue();
  });
  await page.goto("/#/traces");
  const name = page.locator(".brand");
  await expect(name).toBeVisible();
  const places = () => Promise.all([name, page.locator("main")].map((part) => part.boundingBox()));
  const before = await places();
  await expect(page.getByRole("button", { name: /waiting/ })).toBeVisible();
  expect(await places()).toEqual(before);
});
