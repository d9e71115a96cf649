import { expect, fingerprints, test } from "../harness/browser/fixtures.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";
import { openView, ownCount, pipelineMark } from "../harness/browser/views.ts";
import { startServer } from "../harness/server_process.ts";
import { findStablePort } from "../harness/stable_port.ts";

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

test("server stopped, then started again → a view that did not load is there by “Try again”", async ({ page, watch }) => {
  watch.allow("net::ERR_", "Failed to fetch");
  const env = { PORT: String(findStablePort()) };
  const stopped = await startServer({ env });
  await page.goto(stopped.origin);
  await expect(page.getByRole("heading", { name: "Point any Sentry SDK here" })).toBeVisible();
  await stopped.stop("SIGKILL");
  await openView(page, "Traces");
  const alert = page.locator(".view.traces").getByRole("alert");
  await expect(alert).toContainText("This part of the page did not load.");
  const again = alert.getByRole("button", { name: "Try again" });
  await again.click();
  await expect(alert).toContainText("The server does not answer.");
  const started = await startServer({ env });
  await again.click();
  await expect(page.locator(".view.traces").getByRole("searchbox")).toBeVisible();
  await expect(page).toHaveURL(/#\/traces$/);
  await started.stop("SIGKILL");
});
