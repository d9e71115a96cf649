/** The glass: what flows, what waits, what was refused and why, for whom it is seen or read. */
import type { Page } from "@playwright/test";
import { answers, takes } from "../stand_in_ingest.ts";
import { expect, test } from "./fixtures.ts";
import { ERRORS, make, openPage } from "./signals.ts";

test.use({ mode: "relay" });

const healthAsked = ({ method, url }: { method: string; url: URL }) =>
  method === "GET" && url.pathname === "/monitoring";

test("what is refused is counted by reason, in words, beside a mark; and read out once", async ({ page, ingest, watch }) => {
  watch.allow(ERRORS.handled, "status of 400");
  ingest.behave(
    answers(400, { headers: { "X-Sentry-Error": "event of a kind that is not taken" } }),
  );
  await openPage(page);
  const strip = page.getByRole("region", { name: "Flow" });
  await expect(strip).toContainText("Counted since the page was opened");
  await make(page, "Handled error");
  const reasons = strip.getByRole("list", { name: "Refused, by reason" });
  await expect(reasons.getByRole("listitem").first()).toHaveText(
    /\d+ refused \(status 400\), the last at \d\d:\d\d:\d\d: event of a kind that is not taken/,
  );
  await expect(strip.getByRole("status")).toContainText(
    /[1-9]\d* refused\. Last refused: event of a kind that is not taken/,
  );

  ingest.behave(takes());
  await make(page, "Handled error");
  await expect(strip).toContainText(/[1-9]\d* accepted/);
  await expect(reasons.getByRole("listitem").first()).toContainText("status 400");
});

test("the relay is asked what it holds only after it has spooled something, and no more once it holds nothing", async ({ page, ingest, sent, watch }) => {
  watch.allow(ERRORS.handled);
  await openPage(page);
  const strip = page.getByRole("region", { name: "Flow" });
  await make(page, "info");
  await expect(strip).toContainText(/[1-9]\d* accepted/);
  expect(sent.all.filter(healthAsked)).toEqual([]);

  ingest.behave(answers(503));
  await make(page, "Handled error");
  await expect(strip).toContainText(/[1-9]\d*\senvelopes? of all senders on its disk/);
  ingest.behave(takes());
  await expect(strip).toContainText("nothing waits in the relay’s spool", { timeout: 60_000 });
  const asked = sent.all.filter(healthAsked).length;

  // Something happens again, and it is not this that it asks for.
  await make(page, "warn");
  await expect(strip).toContainText("Nothing waits, nothing was refused.", { timeout: 60_000 });
  expect(sent.all.filter(healthAsked).length - asked).toBeLessThanOrEqual(1);
});

test.describe("with less motion", () => {
  test.use({ mode: "inbox", contextOptions: { reducedMotion: "reduce" } });

  test("nothing travels: a mark stands where it arrived", async ({ page }) => {
    await openPage(page);
    await make(page, "Handled error");
    const mark = page.locator(".tube .m").first();
    await expect(mark).toHaveCSS("animation-name", "stand");
  });

  test.beforeEach(({ watch }) => watch.allow(ERRORS.handled));
});

test("what the glass needs to be drawn does not load: it says so, and the page works", async ({ page, watch }) => {
  watch.allow("ERR_BLOCKED_BY_CLIENT", ERRORS.handled);
  const names = await scriptsOf(page);
  // All that comes later but telemetry itself.
  await page.route("/assets/*", (route) => {
    const name = new URL(route.request().url()).pathname.replace("/assets/", "");
    return names.has(name) ? route.continue() : route.abort("blockedbyclient");
  });
  await openPage(page);
  await expect(page.getByRole("region", { name: "Flow" })).toContainText(
    "what shows it passing did not load",
  );
  await make(page, "Handled error");
  await expect(page.getByText("An error was handled and reported.")).toBeVisible();
});

/** The scripts that the page names, and those of telemetry. */
async function scriptsOf(page: Page): Promise<ReadonlySet<string>> {
  const html = await (await page.request.get("/")).text();
  return new Set(html.match(/[\w-]{8}\.js/g));
}
